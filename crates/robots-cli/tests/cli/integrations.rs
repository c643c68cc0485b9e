//! The steps of `action.yml`, in a repository of our own, and the program that they and the hooks get.

use crate::program::workspace;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A repository with a robots.txt on the branch `base`, and another one in the working tree.
struct Repository {
    folder: tempfile::TempDir,
}

impl Repository {
    fn new(base: &str, now: &str) -> Self {
        let repository = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        fs::create_dir_all(repository.files().join("site")).unwrap();
        repository.git(&["init", "--quiet", "--initial-branch=base", "."]);
        repository.commit(base);
        repository.git(&["checkout", "--quiet", "-b", "change"]);
        repository.commit(now);
        repository
    }

    fn files(&self) -> PathBuf {
        self.folder.path().join("files")
    }

    fn git(&self, words: &[&str]) {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
        let status = Command::new("git")
            .args(identity)
            .args(words)
            .current_dir(self.files())
            .status();
        assert!(status.unwrap().success(), "{words:?}");
    }

    fn commit(&self, robots_txt: &str) {
        fs::write(self.files().join("site/robots.txt"), robots_txt).unwrap();
        self.git(&["add", "."]);
        self.git(&["commit", "--quiet", "--allow-empty", "-m", "a change"]);
    }

    /// Runs the steps with these inputs. Returns the exit code, the annotations, the summary and the outputs.
    fn run(&self, inputs: &[(&str, &str)]) -> (i32, String, String, String) {
        let program = Path::new(env!("CARGO_BIN_EXE_robots")).parent().unwrap();
        let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
        let file = |name: &str| self.folder.path().join(name);
        let output = Command::new("bash")
            .arg(workspace().join("integrations/github-action"))
            .current_dir(self.files())
            .envs(inputs.iter().copied())
            .env("PATH", path)
            .env("RUNNER_TEMP", self.folder.path())
            .env("GITHUB_STEP_SUMMARY", file("summary"))
            .env("GITHUB_OUTPUT", file("outputs"))
            .output()
            .unwrap();
        let read = |name: &str| {
            let text = fs::read_to_string(file(name)).unwrap_or_default();
            let _ = fs::remove_file(file(name));
            text
        };
        (
            output.status.code().unwrap(),
            String::from_utf8(output.stdout).unwrap(),
            read("summary"),
            read("outputs"),
        )
    }
}

#[test]
fn a_change_is_summarised_and_findings_annotate_the_file() {
    let repository = Repository::new(
        "User-agent: *\nDisallow: /a\n",
        "User-agent: *\nDisallow: /b\nDisalow: /c\n",
    );
    let (code, annotations, summary, outputs) = repository.run(&[("BASE", "base")]);
    assert_eq!(code, 1, "{annotations}");
    assert!(
        annotations.starts_with("::error file=site/robots.txt,line=3,col=1,"),
        "{annotations}"
    );
    assert!(
        summary.contains("#### Changed decisions of `site/robots.txt`\n\n    *\n"),
        "{summary}"
    );
    assert!(
        summary.contains("      - disallowed now  /b\n"),
        "{summary}"
    );
    assert!(outputs.contains("\nchanged=true\n"), "{outputs}");

    // A change alone fails only on request.
    let only_change = [("BASE", "base"), ("LEVEL", "error"), ("FILES", "site")];
    let repository = Repository::new(
        "User-agent: *\nDisallow: /a\n",
        "User-agent: *\nDisallow: /b\n",
    );
    assert_eq!(repository.run(&only_change).0, 0);
    let failing = only_change.into_iter().chain([("FAIL_ON_CHANGE", "true")]);
    assert_eq!(repository.run(&failing.collect::<Vec<_>>()).0, 1);
}

#[test]
fn a_change_of_the_text_alone_is_no_change() {
    let repository = Repository::new(
        "User-agent: *\nDisallow: /a\n",
        "# A comment.\nUser-agent: *\nDisallow: /a\n",
    );
    let (code, _, summary, outputs) =
        repository.run(&[("BASE", "base"), ("AGENTS", "Googlebot\nbingbot")]);
    assert_eq!(code, 0);
    assert_eq!(summary, "No decision of a robots.txt changed.\n");
    assert!(outputs.contains("\nchanged=false\n"), "{outputs}");
    let (code, _, summary, _) = repository.run(&[]);
    assert_eq!(
        (code, &*summary),
        (0, "Without a base, no robots.txt was compared.\n")
    );
    // A base that is not there is an error.
    let (code, annotations, ..) = repository.run(&[("BASE", "none")]);
    assert_eq!(code, 2);
    assert!(annotations.contains("fetch-depth: 0"), "{annotations}");
}

/// A new robots.txt is compared with one that allows everything, and so is a deleted one.
#[test]
fn added_and_deleted_files_are_changes() {
    let repository = Repository::new(
        "User-agent: *\nDisallow: /a\n",
        "User-agent: *\nDisallow: /a\n",
    );
    repository.git(&["mv", "site/robots.txt", "robots.txt"]);
    repository.git(&["commit", "--quiet", "-m", "move"]);
    let (_, _, summary, _) = repository.run(&[("BASE", "base")]);
    assert!(
        summary.contains("of `robots.txt`\n\n    *\n      - disallowed now  /a"),
        "{summary}"
    );
    assert!(
        summary.contains("of `site/robots.txt`\n\n    *\n      + allowed now     /a"),
        "{summary}"
    );
}

#[test]
fn the_files_that_are_linted_are_compared() {
    let text = "User-agent: *\nDisallow: /a\n";
    let repository = Repository::new(text, text);
    let now = "User-agent: *\nDisallow: /b\n";
    let names = [
        "robots.txt",
        "site/shop-robots.txt",
        "site/rules",
        "site/robots.text",
        "[a] b/ROBOTS.TXT",
    ];
    fs::create_dir(repository.files().join("[a] b")).unwrap();
    for name in names {
        fs::write(repository.files().join(name), now).unwrap();
    }
    repository.git(&["add", "."]);
    repository.git(&["commit", "--quiet", "-m", "more files"]);
    let compared = |files: &str| {
        let (_, _, summary, _) = repository.run(&[("BASE", "base"), ("FILES", files)]);
        names.map(|name| summary.contains(&format!("of `{name}`\n")))
    };
    assert_eq!(compared("."), [true, true, false, false, true]);
    assert_eq!(compared("site"), [false, true, false, false, false]);
    assert_eq!(compared("./site/rules"), [false, false, true, false, false]);
    assert_eq!(
        compared("site/rules\n[a] b"),
        [false, false, true, false, true]
    );
    let path = |name: &str| repository.files().join(name).display().to_string();
    for named in [
        ".//site/rules",
        "././site/rules",
        "site/../site/rules",
        &path("site/rules"),
    ] {
        assert_eq!(
            compared(named),
            [false, false, true, false, false],
            "{named}"
        );
    }
    // What cannot be compared is named, and does not fail the step.
    let outside = repository.folder.path().join("robots.txt");
    fs::write(&outside, now).unwrap();
    fs::write(path("site/crawl.warc"), "WARC/1.0").unwrap();
    repository.git(&["add", "."]);
    repository.git(&["commit", "--quiet", "-m", "an archive"]);
    for (input, notice) in [
        (
            "../robots.txt",
            "::notice::../robots.txt is not compared with the base: ",
        ),
        (
            "site/crawl.warc",
            "::notice::site/crawl.warc is an archive: ",
        ),
    ] {
        let (_, annotations, summary, _) = repository.run(&[("BASE", "base"), ("FILES", input)]);
        assert!(annotations.contains(notice), "{annotations}");
        assert_eq!(summary, "No decision of a robots.txt changed.\n");
    }
}

#[test]
fn a_page_that_cannot_be_asked_about_fails() {
    let repository = Repository::new(
        "User-agent: *\nDisallow: /a\n",
        "User-agent: *\nDisallow: /a\n",
    );
    // A private address is not reached.
    let inputs = [
        ("URLS", "http://127.0.0.1:1/x"),
        ("EXPECT", "noindex"),
        ("PROFILES", "google"),
    ];
    let (code, annotations, summary, _) = repository.run(&inputs);
    assert_eq!(code, 2, "{annotations}");
    assert!(annotations.contains("::error::"), "{annotations}");
    assert!(summary.contains("a private address"), "{summary}");
}

/// The summary is meant for a comment: no name of a file can write its Markdown.
#[test]
fn names_of_files_are_escaped_in_the_summary() {
    let rule = "User-agent: *\nDisallow: /a\n";
    for (folder, shown) in [
        ("a b", "`a b/robots.txt`"),
        ("caf\u{e9}", "`caf\u{e9}/robots.txt`"),
        ("a\n# b", "`$'a\\n# b/robots.txt'`"),
        ("a\r![b](c)", "`$'a\\r![b](c)/robots.txt'`"),
        ("a\u{202e}b", "`$'a\\342\\200\\256b/robots.txt'`"),
        ("a\u{85}b", "`$'a\\302\\205b/robots.txt'`"),
        ("a`b", "`` a`b/robots.txt ``"),
        ("``a\nb", "``` $'``a\\nb/robots.txt' ```"),
    ] {
        let repository = Repository::new(rule, rule);
        let path = repository.files().join(folder);
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join("robots.txt"), rule).unwrap();
        repository.git(&["add", "."]);
        repository.git(&["commit", "--quiet", "-m", "a file"]);
        let (code, annotations, summary, _) = repository.run(&[("BASE", "base")]);
        assert_eq!(code, 0, "{annotations}");
        let heading = format!("#### Changed decisions of {shown}\n\n    *\n");
        assert!(summary.starts_with(&heading), "{summary}");
    }
}

#[test]
fn fail_on_change_is_true_or_false() {
    let repository = Repository::new(
        "User-agent: *\nDisallow: /a\n",
        "User-agent: *\nDisallow: /b\n",
    );
    for (value, expected) in [("true", 1), ("false", 0), ("", 0)] {
        let (code, ..) = repository.run(&[("BASE", "base"), ("FAIL_ON_CHANGE", value)]);
        assert_eq!(code, expected, "{value}");
    }
    for value in [
        "yes",
        "True",
        "TRUE",
        "1",
        " true",
        "no",
        "true\n::notice::a",
    ] {
        let (code, annotations, ..) =
            repository.run(&[("BASE", "base"), ("FAIL_ON_CHANGE", value)]);
        assert_eq!(code, 2, "{value}");
        let shown = value.replace('\n', "%0A");
        assert_eq!(
            annotations,
            format!("::error::unexpected fail-on-change '{shown}': expected true or false\n")
        );
    }
}

/// Releases of our own, in a folder.
struct Releases {
    folder: tempfile::TempDir,
}

impl Releases {
    /// Makes the releases: one of this version, with a script as the program, whose file has this digest by `SHA256SUMS`.
    fn new(digest_of: impl Fn(&str) -> String) -> Self {
        let releases = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        let version = env!("CARGO_PKG_VERSION");
        let machine = std::env::consts::ARCH;
        let name = format!("robots-{version}-{machine}-unknown-linux-musl");
        let release = releases.folder.path().join(format!("v{version}"));
        fs::create_dir_all(release.join(&name)).unwrap();
        fs::write(
            release.join(&name).join("robots"),
            "#!/bin/sh\necho released\n",
        )
        .unwrap();
        let archive = format!("{name}.tar.gz");
        let tar = Command::new("tar")
            .args(["-czf", &archive, &name])
            .current_dir(&release)
            .status();
        assert!(tar.unwrap().success());
        let sum = Command::new("sha256sum")
            .arg(&archive)
            .current_dir(&release)
            .output();
        let sum = String::from_utf8(sum.unwrap().stdout).unwrap();
        fs::write(release.join("SHA256SUMS"), digest_of(&sum)).unwrap();
        releases
    }

    /// Gets the program into a folder, where `cargo` is a script that makes another program. Returns the exit code, what the program
    /// prints, and the messages.
    fn get(&self, folder: &Path) -> (i32, String, String) {
        let tools = tempfile::tempdir().unwrap();
        let cargo = tools.path().join("cargo");
        let script = "#!/bin/sh\nwhile [ \"$1\" != --root ]; do shift; done\nmkdir -p \"$2/bin\"\n\
            printf '#!/bin/sh\\necho built\\n' >\"$2/bin/robots\"\n";
        fs::write(&cargo, script).unwrap();
        let executable = Command::new("chmod").arg("+x").arg(&cargo).status();
        assert!(executable.unwrap().success());
        let path = format!(
            "{}:{}",
            tools.path().display(),
            std::env::var("PATH").unwrap()
        );
        let output = Command::new("bash")
            .arg(workspace().join("integrations/program"))
            .arg(folder)
            .env("PATH", path)
            .env(
                "ROBOTS_RELEASES",
                format!("file://{}", self.folder.path().display()),
            )
            .output()
            .unwrap();
        let program = String::from_utf8(output.stdout).unwrap();
        let said = match program.trim_end() {
            "" => String::new(),
            program => {
                let said = Command::new(program).output().unwrap().stdout;
                String::from_utf8(said).unwrap()
            }
        };
        let messages = String::from_utf8(output.stderr).unwrap();
        (output.status.code().unwrap(), said, messages)
    }
}

/// Returns whether the machine has what downloads: Linux and curl. Without them, the program is built, also in the tests.
fn can_download() -> bool {
    let has_curl = Command::new("curl").arg("--version").output().is_ok();
    assert!(
        has_curl || std::env::var("CI").as_deref() != Ok("true"),
        "no curl"
    );
    has_curl && cfg!(target_os = "linux")
}

#[test]
fn the_program_of_a_release_is_downloaded_once() {
    if !can_download() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let releases = Releases::new(str::to_owned);
    let expected = (0, "released\n".to_owned(), String::new());
    assert_eq!(releases.get(folder.path()), expected);
    // The second time, it is there.
    let nothing = Releases::new(|_| String::new());
    assert_eq!(nothing.get(folder.path()), expected);
}

#[test]
fn a_program_with_another_digest_is_refused() {
    if !can_download() {
        return;
    }
    for digest_of in [
        |sum: &str| format!("{}{}", "0".repeat(64), &sum[64..]),
        |_: &str| String::new(),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (code, said, messages) = Releases::new(digest_of).get(folder.path());
        assert_eq!((code, &*said), (2, ""), "{messages}");
        assert!(messages.contains("and SHA256SUMS has "), "{messages}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

#[test]
fn without_a_release_the_program_is_built() {
    let folder = tempfile::tempdir().unwrap();
    let releases = Releases {
        folder: tempfile::tempdir().unwrap(),
    };
    let (code, said, messages) = releases.get(folder.path());
    assert_eq!((code, &*said), (0, "built\n"), "{messages}");
    assert!(messages.contains("building it"), "{messages}");
}
