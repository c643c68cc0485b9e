//! `robots block`: groups for robots.txt, and files with a new group.

use crate::program::{Folder, Outcome, command, command_on, gzip, robots, robots_in, robots_on};
use robots_answers::check::Reading;
use robots_policy::profile::{AgentTable, KnownAgent, Purpose};
use robots_policy::robots_txt::parse::{Field, Line};
use robots_policy::robots_txt::{Dialect, RobotsTxt, Target};

robots_corpus::tests!(real_files_are_changed_for_blocked_robots_alone);

/// Returns whether a robots.txt allows a robot to fetch a page.
fn may_fetch(file: &str, robot: &KnownAgent) -> bool {
    let robots = RobotsTxt::parse(file.as_bytes());
    let rules = robots.rules(robot.agent(), &Dialect::RFC9309);
    rules
        .verdict(&Target::new("https://example.com/page"))
        .is_allowed()
}

/// Returns the output of `robots block` for these purposes, with more options.
fn group(purposes: &[Purpose], more: &[&str]) -> String {
    let mut words = vec!["block"];
    words.extend(purposes.iter().map(|purpose| purpose.name()));
    words.extend(more);
    let outcome = robots(&words);
    outcome.assert_success();
    outcome.stdout
}

#[test]
fn a_group_disallows_robots_with_the_purposes_and_no_others() {
    let has = |robot: &KnownAgent, purposes: &[Purpose]| {
        robot.purposes.iter().any(|own| purposes.contains(own))
    };
    for purposes in [
        &[Purpose::AiTrain][..],
        &[Purpose::AiTrain, Purpose::Dataset],
        &[Purpose::Seo],
        &[Purpose::Search],
        Purpose::ALL,
    ] {
        let forbids_search = purposes.contains(&Purpose::Search);
        for unverified in [false, true] {
            let more: &[&str] = if unverified { &["--unverified"] } else { &[] };
            let file = group(purposes, more);
            for robot in AgentTable::built_in().iter() {
                // A robot that also serves search stays allowed, unless search itself is disallowed. A robot without a
                // source is named only with --unverified.
                let is_named = has(robot, purposes)
                    && (forbids_search || !robot.purposes.contains(&Purpose::Search))
                    && (unverified || robot.is_sourced());
                for token in robot.tokens() {
                    let mut lines = file.lines();
                    let has_line = lines.any(|line| line == format!("User-agent: {token}"));
                    assert_eq!(has_line, is_named, "{token} {file}");
                }
                // A robot that the file does not name may obey the group of another one, which the file names.
                let obeys_a_named_one = robot
                    .agent()
                    .names()
                    .any(|name| file.contains(&format!("User-agent: {name}\n")));
                assert_eq!(
                    may_fetch(&file, robot),
                    !obeys_a_named_one,
                    "{}",
                    robot.token
                );
            }
        }
    }
}

#[test]
fn a_group_is_without_findings() {
    for purposes in [&[Purpose::AiTrain, Purpose::Dataset][..], Purpose::ALL] {
        for more in [&[][..], &["--unverified"]] {
            let file = group(purposes, more);
            let outcome = robots_on(["lint", "-"], file.as_bytes());
            assert_eq!((outcome.code, &*outcome.stdout), (0, ""), "{file}");
        }
    }
}

#[test]
fn a_group_names_the_table_and_the_robots_that_it_leaves_out() {
    let file = group(&[Purpose::AiTrain], &[]);
    let table = AgentTable::built_in();
    let first = file.lines().next().unwrap();
    assert!(
        first.contains(table.date()) && first.contains("ai-train"),
        "{first}"
    );
    let left_out = table
        .iter()
        .filter(|robot| robot.has_purpose(&[Purpose::AiTrain]) && !robot.is_sourced());
    for robot in left_out {
        assert!(file.contains(&robot.token), "{}", robot.token);
    }
    // Comments are wrapped.
    assert!(
        file.lines().all(|line| line.chars().count() <= 100),
        "{file}"
    );
    assert!(file.ends_with("\nDisallow: /\n"));
}

#[test]
fn robots_are_named_by_purposes_and_tokens() {
    let lines = |words: &str| {
        let outcome = command(words);
        outcome.assert_success();
        let agents = outcome
            .stdout
            .lines()
            .filter(|line| line.starts_with("User-agent"));
        (agents.map(str::to_owned).collect::<Vec<_>>(), outcome)
    };
    let (agents, outcome) = lines("block ccbot,GPTBot CCBot");
    assert_eq!(agents, ["User-agent: GPTBot", "User-agent: CCBot"]);
    outcome.assert_stdout_contains("# robots block CCBot GPTBot, by the table of ");
    assert_eq!(outcome.stderr, "");
    // A robot that a purpose leaves out is blocked if it is named: one for search, and one that is not verified.
    for (purpose, robot) in [("ai-train", "PanguBot"), ("dataset", "Googlebot")] {
        let line = format!("User-agent: {robot}");
        assert!(
            !lines(&format!("block {purpose}")).0.contains(&line),
            "{robot}"
        );
        let named = lines(&format!("block {purpose} {robot}"));
        assert!(named.0.contains(&line), "{robot}");
    }
    // Other robots obey the group of Googlebot.
    let (_, outcome) = lines("block Googlebot");
    outcome.assert_stderr_contains("obey this one, too: Googlebot-Image, ");
    for (words, error) in [
        (
            "block",
            "the following required arguments were not provided",
        ),
        (
            "block ai-trian",
            "unknown purpose or robot \"ai-trian\"; did you mean ai-train?",
        ),
        (
            "block ai-training",
            "\"ai-training\"; did you mean ai-train?",
        ),
        ("block AI", "\"AI\"; did you mean ai-train, ai-search?"),
        (
            "block GTPBot",
            "unknown purpose or robot \"GTPBot\"; did you mean GPTBot?",
        ),
        (
            "block OpenAI",
            "unknown purpose or robot \"OpenAI\": name its robots: GPTBot, ",
        ),
        (
            "block GPTBot/1.0",
            "unknown purpose or robot \"GPTBot/1.0\": name its robots: GPTBot",
        ),
        ("block GPTBot,,CCBot", "a value is required for '<WHAT>...'"),
        ("block *", "unknown purpose or robot \"*\""),
        (
            "block xyzzy",
            "unknown purpose or robot \"xyzzy\": expected the name of a known robot, or a purpose (search, ads, ",
        ),
        ("block GPTBot --dry-run", "--into <FILE>"),
        ("block GPTBot --json", "--into <FILE>"),
        (
            "block GPTBot --into https://a.example/robots.txt",
            "expected a file, not a URL",
        ),
        ("block GPTBot --into - --json", "add --dry-run"),
        (
            "agents --robots-txt",
            "`robots block PURPOSE` writes a group",
        ),
        (
            "agents --purpose ai-train --robots-txt",
            "`robots block PURPOSE`",
        ),
    ] {
        let outcome = command(words);
        assert_eq!((outcome.code, &*outcome.stdout), (2, ""), "{words}");
        outcome.assert_stderr_contains(error);
    }
}

#[test]
fn a_purpose_whose_robots_are_all_left_out_is_an_error() {
    let folder = Folder::new();
    let table = folder.file(
        "robots.toml",
        "version = 1\ndate = \"2026-11-22\"\n[[agent]]\ntoken = \"A\"\noperator = \"a\"\npurposes = [\"seo\"]\nobeys = \"yes\"\nbasis = \"memory\"\n",
    );
    let block = |words: &str| command(&format!("block --agent-table {table} {words}"));
    block("seo").assert_error("no robot to block for seo; --unverified blocks those");
    block("feed").assert_error("no robot to block for feed");
    block("seo --unverified")
        .assert_stdout_contains("# Not verified:\nUser-agent: A\nDisallow: /\n");
}

/// Adds a group to a file with these bytes. Returns the outcome and the new bytes.
fn into(what: &str, old: &[u8]) -> (Outcome, Vec<u8>) {
    let folder = Folder::new();
    let file = folder.file("robots.txt", old);
    let run = || command(&format!("block {what} --into {file}"));
    let outcome = run();
    let new = std::fs::read(&file).unwrap();
    // A second run changes nothing, and sees the same.
    let again = run();
    assert_eq!(again.code, outcome.code, "{}", again.stderr);
    assert_eq!(std::fs::read(&file).unwrap(), new);
    if outcome.code < 2 {
        again.assert_stderr_contains("robots.txt: unchanged");
    }
    assert_eq!(std::fs::read_dir(folder.root()).unwrap().count(), 1);
    (outcome, new)
}

#[test]
fn a_group_is_added_at_the_top() {
    for (old, before, line_end) in [
        ("", "", "\n"),
        ("User-agent: *\nDisallow: /a\n", "", "\n"),
        ("User-agent: *\nDisallow: /a", "", "\n"),
        ("User-agent: *", "", "\n"),
        ("\n\n# all\nUser-agent: *\r\nDisallow: /a\r\n", "", "\n"),
        ("User-agent: *\r\nDisallow: /a\n", "", "\r\n"),
        ("User-agent: *\rDisallow: /a\r", "", "\n"),
        (
            "Sitemap: https://a.example/s.xml\nUser-agent: *\nDisallow: /a\n",
            "",
            "\n",
        ),
        (
            "Crawl-delay: 1\nFoo: bar\njunk\nUser-agent: *\nDisallow: /a\n",
            "Crawl-delay: 1\nFoo: bar\njunk\n\n",
            "\n",
        ),
        ("User-agent: *\nUser-agent: b\n\nDisallow: /a\n", "", "\n"),
        (
            "User-agent: b\nCrawl-delay: 1\n\nUser-agent: *\nDisallow: /a\n",
            "",
            "\n",
        ),
        // Rules before the first `User-agent` line, in one reading or in all, would be rules of the group.
        (
            "Allow: /a\n# b\nUser-agent: b\nDisallow:\n",
            "Allow: /a\n\n",
            "\n",
        ),
        ("Disallow: /a", "Disallow: /a\n\n", "\n"),
        ("Disallow: /a\r", "Disallow: /a\r\n\n", "\n"),
        (
            "Useragent: *\nAllow: /a\nUser-agent: b\nDisallow: /\n",
            "Useragent: *\nAllow: /a\n\n",
            "\n",
        ),
        // Some robots do not recognise the field after a byte order mark: not in a line below the group, either.
        (
            "\u{feff}# a\nUser-agent: *\nDisallow: /a\n",
            "\u{feff}",
            "\n",
        ),
        (
            "\u{feff}User-agent: b\nDisallow: /a\n\n# c\nUser-agent: c\nDisallow: /c\n",
            "\u{feff}User-agent: b\nDisallow: /a\n\n\n",
            "\n",
        ),
        (
            "\u{feff}User-agent: *\r\nDisallow: /a\r\n",
            "\u{feff}User-agent: *\r\nDisallow: /a\r\n\r\n",
            "\r\n",
        ),
    ] {
        let (outcome, new) = into("GPTBot", old.as_bytes());
        assert_eq!(outcome.code, 0, "{old:?}: {}", outcome.stderr);
        let new = String::from_utf8(new).unwrap();
        let added = new
            .strip_prefix(before)
            .unwrap_or_else(|| panic!("{old:?}: {new:?}"));
        let group = format!("User-agent: GPTBot{line_end}Disallow: /{line_end}");
        assert!(
            added.starts_with("# robots block GPTBot, by"),
            "{old:?}: {new:?}"
        );
        let (_, after) = added
            .split_once(&group)
            .unwrap_or_else(|| panic!("{old:?}: {new:?}"));
        // The rest of the file is as it was, after a blank line.
        assert!(
            old.ends_with(after.trim_start_matches(['\r', '\n'])),
            "{old:?}: {new:?}"
        );
        assert!(
            after.is_empty() || after.starts_with(line_end),
            "{old:?}: {new:?}"
        );
        outcome.assert_stderr_contains("1 robot blocked by a group at line ");
        outcome.assert_stdout_contains("disallowed now");
    }
    // Bytes that are not UTF-8 stay.
    let (outcome, new) = into("GPTBot", b"User-agent: *\nDisallow: /caf\xE9\n");
    outcome.assert_success();
    assert!(new.ends_with(b"\n\nUser-agent: *\nDisallow: /caf\xE9\n"));
}

#[test]
fn a_robot_is_blocked_once() {
    for (old, what, code, stderr) in [
        (
            "User-agent: *\nDisallow: /\n",
            "ai-train",
            0,
            "3 robots blocked by a group at line 1, 19 robots blocked already",
        ),
        (
            "User-agent: gptbot\nDisallow: /\n",
            "GPTBot",
            0,
            "unchanged, 1 robot blocked already",
        ),
        (
            "User-agent: GPTBot\nDisallow: /*\n",
            "GPTBot",
            0,
            "unchanged, 1 robot blocked already",
        ),
        // Google-Extended does not obey the group of `*`.
        (
            "User-agent: *\nDisallow: /\n",
            "Google-Extended GPTBot",
            0,
            "1 robot blocked by a group at line 1, 1 robot blocked already",
        ),
        // An empty group of its own allows everything.
        (
            "User-agent: GPTBot\n\nUser-agent: *\nDisallow: /\n",
            "GPTBot",
            0,
            "1 robot blocked already",
        ),
    ] {
        let (outcome, _) = into(what, old.as_bytes());
        assert_eq!(outcome.code, code, "{old:?}: {}", outcome.stderr);
        outcome.assert_stderr_contains(stderr);
    }
}

/// The groups of a robot are one: what its own group allows stays allowed, and is reported.
#[test]
fn what_a_group_of_its_own_allows_is_reported() {
    let old = "User-agent: GPTBot\nAllow: /open/\nDisallow: /a\n";
    let (outcome, new) = into("GPTBot CCBot", old.as_bytes());
    assert_eq!(outcome.code, 1);
    let new = String::from_utf8(new).unwrap();
    assert!(
        new.contains("User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n\n"),
        "{new}"
    );
    outcome.assert_stdout_contains(
        "GPTBot may still fetch /open/: allowed by line 7: Allow: /open/ (group of GPTBot); remove this rule\n",
    );
    // No rule of a group that disallows the rest is missing.
    let old = "User-agent: GPTBot\nAllow: /open/\nDisallow: /\n";
    let (outcome, new) = into("GPTBot", old.as_bytes());
    assert_eq!((outcome.code, &*new), (1, old.as_bytes()));
}

#[test]
fn other_robots_are_not_blocked() {
    let old = b"User-agent: *\nDisallow: /a\n";
    let (outcome, new) = into("Googlebot", old);
    outcome.assert_error("of their own: Googlebot-Image, Googlebot-Video, ");
    outcome
        .assert_stderr_contains("; give them a group that allows them first, or name them as well");
    assert_eq!(new, old);
    let names = outcome.stderr.split_once("own: ").unwrap().1;
    let names = names.split_once(';').unwrap().0.replace(',', "");
    let (outcome, _) = into(&format!("Googlebot {names}"), old);
    outcome.assert_success();
    // They are not affected if they have groups of their own, or are blocked.
    let old = format!(
        "User-agent: {}\nDisallow:\n",
        names.replace(' ', "\nUser-agent: ")
    );
    into("Googlebot", old.as_bytes()).0.assert_success();
    into("Googlebot", b"User-agent: *\nDisallow: /\n")
        .0
        .assert_success();
}

/// A longer file would lose rules at its end.
#[test]
fn a_file_may_not_grow_beyond_500_kib() {
    let file = |length: usize| {
        let mut file = b"User-agent: *\nDisallow: /a\n#".to_vec();
        file.resize(length, b'x');
        file
    };
    let group = into("GPTBot", b"").1.len();
    let rest = 500 * 1024 - group;
    into("GPTBot", &file(rest - 10)).0.assert_success();
    for length in [rest, rest + 1, 500 * 1024, 600 * 1024] {
        let (outcome, new) = into("GPTBot", &file(length));
        outcome.assert_error("it would have more than 500 KiB");
        assert_eq!(new.len(), length);
    }
}

/// What the parser does not keep would be lost, also from the output of a filter.
#[test]
fn a_file_of_more_than_16_mib_is_refused() {
    let mut old = b"User-agent: GPTBot\nDisallow: /\n#".to_vec();
    old.resize(16 << 20, b'x');
    assert_eq!(
        command_on("block GPTBot --into -", &old).stdout.len(),
        old.len()
    );
    old.push(b'x');
    let outcome = command_on("block GPTBot --into -", &old);
    outcome.assert_error("it has more than 16 MiB");
    assert_eq!(outcome.stdout, "");
    let (outcome, new) = into("GPTBot", &old);
    outcome.assert_error("it has more than 16 MiB");
    assert_eq!(new.len(), old.len());
}

#[test]
fn what_is_not_a_text_file_is_refused() {
    let utf16: Vec<u8> = "\u{feff}User-agent: *\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let old = b"User-agent: *\nDisallow: /a\n";
    for (old, error) in [
        (&gzip(old)[..], "gzip, not text"),
        (&utf16, "the file is in UTF-16"),
        (b"<!DOCTYPE html>\n<title>a</title>", "HTML"),
    ] {
        let (outcome, new) = into("GPTBot", old);
        outcome.assert_error(error);
        assert_eq!(new, old);
    }
    let folder = Folder::new();
    folder.file("robots.txt.gz", gzip(old));
    folder.file("file", old);
    std::fs::create_dir(folder.root().join("folder")).unwrap();
    for (file, error) in [
        ("robots.txt.gz", "it is compressed; extract it first"),
        ("folder", "folder"),
        ("none/robots.txt", "cannot read none/robots.txt"),
        ("file/robots.txt", "cannot read file/robots.txt"),
        ("/dev/null", "it is not a file"),
    ] {
        for options in [&[][..], &["--dry-run"]] {
            let words = [&["block", "GPTBot", "--into", file], options].concat();
            let outcome = robots_in(folder.root(), words);
            outcome.assert_error(error);
            assert_eq!(outcome.stdout, "");
        }
    }
    assert_eq!(std::fs::read_dir(folder.root()).unwrap().count(), 3);
}

#[test]
fn a_missing_file_is_created() {
    let folder = Folder::new();
    let block = |options: &[&str]| {
        let words = [&["block", "GPTBot", "--into", "robots.txt"], options].concat();
        robots_in(folder.root(), words)
    };
    let outcome = block(&["--dry-run"]);
    outcome.assert_success();
    outcome.assert_stderr_contains("1 robot would be blocked");
    assert!(!folder.root().join("robots.txt").exists());
    block(&[]).assert_stderr_contains("note: there was no robots.txt before");
    let text = std::fs::read_to_string(folder.root().join("robots.txt")).unwrap();
    assert!(
        text.ends_with("\nUser-agent: GPTBot\nDisallow: /\n"),
        "{text}"
    );
}

#[test]
#[cfg(unix)]
fn links_and_permissions_are_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::new();
    let file = folder.file("file.txt", "User-agent: *\nDisallow: /a\n");
    let link = folder.path("link.txt");
    symlink(&file, &link).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    command(&format!("block GPTBot --into {link}")).assert_success();
    let metadata = std::fs::metadata(&file).unwrap();
    assert_eq!(metadata.permissions().mode() & 0o777, 0o640);
    assert!(std::path::Path::new(&link).is_symlink());
    assert!(
        std::fs::read_to_string(&file)
            .unwrap()
            .contains("User-agent: GPTBot\n")
    );
    // A link without a target is not replaced.
    let dangling = folder.path("dangling.txt");
    symlink(folder.path("none.txt"), &dangling).unwrap();
    command(&format!("block GPTBot --into {dangling}")).assert_error("cannot read");
    // A user who may write every file may write this one.
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o440)).unwrap();
    let is_writable = std::fs::OpenOptions::new().append(true).open(&file).is_ok();
    let outcome = command(&format!("block CCBot --into {file}"));
    if !is_writable {
        outcome.assert_error("cannot write");
        assert!(!std::fs::read_to_string(&file).unwrap().contains("CCBot"));
    }
}

#[test]
fn a_dry_run_and_a_filter_write_no_file() {
    let old = b"User-agent: *\nDisallow: /a\n";
    let filter = command_on("block GPTBot --into -", old);
    filter.assert_success();
    let (_, new) = into("GPTBot", old);
    assert_eq!(filter.stdout.as_bytes(), new);
    filter.assert_stderr_contains("- disallowed now  /\n");
    // A file without a change is passed on, too.
    let again = command_on("-q block GPTBot --into -", &new);
    assert_eq!((again.stdout.as_bytes(), &*again.stderr), (&*new, ""));
    let folder = Folder::new();
    let file = folder.file("robots.txt", old);
    let shown = command(&format!("block GPTBot --into {file} --dry-run"));
    shown.assert_success();
    shown.assert_stdout_contains("+User-agent: GPTBot\n+Disallow: /\n+\n User-agent: *\n");
    shown.assert_stdout_contains("GPTBot\n  - disallowed now  /\n");
    shown.assert_stderr_contains("1 robot would be blocked by a group at line 1");
    assert_eq!(std::fs::read(&file).unwrap(), old);
}

#[test]
fn json_has_the_addition_and_its_effects() {
    let folder = Folder::new();
    let old = "User-agent: CCBot\nAllow: /b\n\nUser-agent: ClaudeBot\nDisallow: /\n";
    let file = folder.file("robots.txt", old);
    let block = |options: &str| {
        command(&format!(
            "block {options} GPTBot CCBot ClaudeBot --json --into {file}"
        ))
    };
    for (options, is_written) in [("--dry-run", false), ("-q", true)] {
        let outcome = block(options);
        assert_eq!(outcome.code, 1, "{}", outcome.stderr);
        let answer = outcome.json();
        assert_eq!(answer["file"], *file);
        assert_eq!(answer["written"], is_written);
        assert_eq!(answer["line"], 1);
        let text = answer["text"].as_str().unwrap();
        assert_eq!(
            std::fs::read_to_string(&file).unwrap() == format!("{text}{old}"),
            is_written
        );
        assert_eq!(answer["blocked"], serde_json::json!(["GPTBot", "CCBot"]));
        assert_eq!(answer["already_blocked"], serde_json::json!(["ClaudeBot"]));
        let open = &answer["still_allowed"][0];
        assert_eq!(
            (&open["agent"], &open["path"]),
            (&"CCBot".into(), &"/b".into())
        );
        assert_eq!(answer["changes"][0]["agent"], "GPTBot");
        let codes = answer["findings"].as_array().unwrap().iter();
        let codes: Vec<&str> = codes.map(|found| found["name"].as_str().unwrap()).collect();
        assert!(codes.contains(&"repeated-agent"), "{codes:?}");
    }
    let again = block("-q").json();
    assert_eq!(
        (&again["written"], &again["text"]),
        (&false.into(), &serde_json::Value::Null)
    );
}

/// Every known robot, as its operator reads the file, on paths of the rules of the file.
fn real_files_are_changed_for_blocked_robots_alone(corpus: &std::path::Path) {
    let records = robots_corpus::records(&corpus.join("corpus/robots.warc.gz")).unwrap();
    let folder = Folder::new();
    let file = folder.path("robots.txt");
    let mut changed = 0;
    for record in records.iter().step_by(120) {
        let Some(Ok(response)) = record.http_response() else {
            continue;
        };
        let old = response.body();
        std::fs::write(&file, old).unwrap();
        let outcome = command(&format!("block ai-train --json --into {file}"));
        let new = std::fs::read(&file).unwrap();
        if outcome.code == 2 {
            outcome.assert_stderr_contains("error: cannot add a group");
            assert_eq!(new, old);
            continue;
        }
        let answer = outcome.json();
        let list = |key: &str| answer[key].as_array().unwrap().clone();
        let [old, new] = [old, &new].map(RobotsTxt::parse);
        let is_rule = |line: &Line| matches!(line.field(), Field::Allow | Field::Disallow);
        let lines = old.lines().filter(is_rule);
        let paths = lines.map(|line| String::from_utf8_lossy(line.value()).replace(['*', '$'], ""));
        let paths: Vec<String> = paths.take(30).chain(["/".to_owned()]).collect();
        for robot in AgentTable::built_in().iter() {
            let dialect = &Reading::of_robot(&robot.token).dialect;
            let rules = [&old, &new].map(|file| file.rules(robot.agent(), dialect));
            let is_in = |key: &str| list(key).contains(&robot.token.clone().into());
            let is_open = list("still_allowed")
                .iter()
                .any(|one| one["agent"] == *robot.token);
            for path in &paths {
                let url = format!("https://a.example/{}", path.trim_start_matches('/'));
                let target = Target::new(&url);
                let [before, after] = rules
                    .each_ref()
                    .map(|rules| rules.verdict(&target).is_allowed());
                if is_open || url.ends_with("/robots.txt") {
                    continue;
                }
                let is_blocked = is_in("blocked") || is_in("already_blocked");
                let expected = !is_blocked && before;
                assert_eq!(after, expected, "{:?} {} {url}", record.url, robot.token);
            }
        }
        changed += usize::from(answer["written"] == true);
        let again = command(&format!("block ai-train --json --into {file}"));
        assert_eq!(
            (again.code, &again.json()["written"]),
            (outcome.code, &false.into())
        );
    }
    assert!(changed > 20, "{changed}");
}
