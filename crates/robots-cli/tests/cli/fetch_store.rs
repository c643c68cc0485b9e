//! `robots fetch --store`: the store leads to the same decisions as the archive. A kill, a full disk, or a new store next to
//! an earlier archive do not change this.

use crate::fetch::{OK, Run, origin_without_a_server, redirect_to, serve, serve_by_path};
use crate::program::{Folder, command, gzip, page, robots};
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// A server for each kind of outcome.
struct Servers {
    /// The last origin is not in the list of sites: another origin redirects to it.
    origins: Vec<String>,
    /// Counters of the requests to the servers of the list.
    requests: Vec<Arc<AtomicUsize>>,
}

impl Servers {
    fn start() -> Self {
        let (rules, rules_requests) = serve(OK);
        let fresh = "HTTP/1.1 200 OK\r\nCache-Control: max-age=7200\r\nContent-Type: text/plain\r\n\
            Content-Length: 26\r\n\r\nUser-agent: *\nDisallow: /\n";
        let (fresh, fresh_requests) = serve(fresh);
        let (absent, absent_requests) = serve("HTTP/1.1 404 X\r\nContent-Length: 3\r\n\r\nabc");
        let (failing, failing_requests) = serve("HTTP/1.1 503 X\r\nContent-Length: 0\r\n\r\n");
        let (unlisted, _) = serve(OK);
        let (moved, moved_requests) = serve(redirect_to(&format!("{unlisted}/robots.txt#x")));
        let (to_file, to_file_requests) = serve(redirect_to("file:///etc/hosts"));
        let (looping, looping_requests) = serve(redirect_to("/robots.txt"));
        let gone = origin_without_a_server();
        let (to_gone, to_gone_requests) = serve(redirect_to(&format!("{gone}/robots.txt")));
        Self {
            origins: vec![
                rules, fresh, absent, failing, moved, to_file, looping, gone, to_gone, unlisted,
            ],
            requests: vec![
                rules_requests,
                fresh_requests,
                absent_requests,
                failing_requests,
                moved_requests,
                to_file_requests,
                looping_requests,
                to_gone_requests,
            ],
        }
    }

    /// Returns the list of sites to fetch.
    fn sites(&self) -> Vec<&str> {
        let (_, listed) = self.origins.split_last().unwrap();
        listed.iter().map(String::as_str).collect()
    }

    /// Returns the list without its last two sites: one does not respond, and one redirects to it. A run repeats its requests to
    /// them, after pauses.
    fn responding(&self) -> Vec<&str> {
        let mut sites = self.sites();
        sites.truncate(sites.len() - 2);
        sites
    }

    /// Returns the number of requests to the servers of the list.
    fn requests(&self) -> usize {
        let counters = self.requests.iter();
        counters.map(|counter| counter.load(Ordering::SeqCst)).sum()
    }
}

/// Returns the decisions about a page of each origin: by the archive, and by the store.
fn decisions(run: &Run, origins: &[String]) -> [Vec<String>; 2] {
    let pages = origins
        .iter()
        .flat_map(|origin| gzip(&page(&format!("{origin}/private/"), "<title>x</title>")));
    let crawl = run.path("crawl.warc.gz");
    std::fs::write(&crawl, pages.collect::<Vec<u8>>()).unwrap();
    [("--robots", run.archive()), ("--store", run.store())].map(|(option, path)| {
        let outcome = robots(["decide", "--json", option, &path, &crawl]);
        outcome.assert_success();
        let rows = outcome.rows();
        assert_eq!(rows.len(), origins.len());
        rows.iter()
            .map(|row| format!("{} {}", row["url"], row["fetch"]))
            .collect()
    })
}

/// Asserts that archive and store lead to the same decisions, and that none is unknown.
fn assert_same_decisions(run: &Run, origins: &[String]) {
    let [by_archive, by_store] = decisions(run, origins);
    assert_eq!(by_store, by_archive);
    let unknown = by_store.iter().filter(|row| row.contains("unknown"));
    assert_eq!(unknown.count(), 0, "{by_store:?}");
}

#[test]
fn a_new_store_has_what_the_archive_has() {
    let servers = Servers::start();
    let run = Run::new();
    let outcome = run.fetch(&servers.sites(), &[]);
    outcome.assert_success();
    assert_same_decisions(&run, &servers.origins);
    let (requests, archive) = (servers.requests(), std::fs::read(run.archive()).unwrap());
    let [_, first] = decisions(&run, &servers.origins);
    // A new store learns all outcomes from the archive, without requests.
    std::fs::remove_file(run.store()).unwrap();
    let outcome = run.fetch(&servers.sites(), &["--resume"]);
    outcome.assert_success();
    assert_eq!(servers.requests(), requests);
    assert_eq!(std::fs::read(run.archive()).unwrap(), archive);
    assert_same_decisions(&run, &servers.origins);
    assert_eq!(decisions(&run, &servers.origins)[1], first);
}

#[test]
fn redirects_of_one_site_decide_nothing_about_another() {
    // Its robots.txt redirects once.
    let target = serve_by_path(|path| match path {
        "/robots.txt" => redirect_to("/r").to_owned(),
        _ => "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nUser-agent: *\nDisallow: /\n".to_owned(),
    });
    let last = format!("{target}/robots.txt");
    let hostile = serve_by_path(move |path| match path {
        "/robots.txt" => redirect_to("/1").to_owned(),
        "/4" => redirect_to(&last).to_owned(),
        number => {
            let next: u32 = number[1..].parse::<u32>().unwrap() + 1;
            redirect_to(&format!("/{next}")).to_owned()
        }
    });
    let origins = [target.clone(), hostile.clone()];
    let expected = [(&target, "disallow"), (&hostile, "allow")]
        .map(|(origin, fetch)| format!("\"{origin}/private/\" \"{fetch}\""));
    for sites in [[&target, &hostile], [&hostile, &target]] {
        let run = Run::new();
        let sites = sites.map(String::as_str);
        // One run for both, or one for each: the first site that is requested may not stand for the other.
        let outcome = run.fetch(&sites, &["--at-once", "1"]);
        outcome.assert_success();
        assert_eq!(
            decisions(&run, &origins),
            [expected.clone(), expected.clone()]
        );
        let run = Run::new();
        assert_eq!(run.fetch(&sites[..1], &[]).code, 0);
        let outcome = run.fetch(&sites, &["--resume"]);
        outcome.assert_stderr_contains("1 site requested");
        assert_eq!(
            decisions(&run, &origins),
            [expected.clone(), expected.clone()]
        );
    }
}

#[test]
fn a_target_that_http_cannot_request_does_not_damage_the_archive() {
    let (long, _) = serve(redirect_to(&format!("/{}", "a".repeat(300_000))));
    let run = Run::new();
    assert_eq!(run.fetch(&[&long], &[]).code, 0);
    let outcome = run.fetch(&[&long], &["--resume"]);
    outcome.assert_stderr_contains("0 sites requested");
    assert!(!outcome.stderr.contains("warning"), "{}", outcome.stderr);
    assert_same_decisions(&run, &[long]);
}

#[test]
fn damage_is_reported_when_a_run_resumes() {
    let servers = Servers::start();
    let sites = servers.responding();
    let run = Run::new();
    assert_eq!(run.fetch(&sites, &[]).code, 0);
    let mut archive = std::fs::read(run.archive()).unwrap();
    // Within the second member.
    let mut starts = (1..archive.len()).filter(|at| archive[*at..].starts_with(&[0x1f, 0x8b, 8]));
    let start = starts.next().unwrap();
    archive[start + 30] ^= 0xff;
    std::fs::write(run.archive(), &archive).unwrap();
    let outcome = run.fetch(&sites[..1], &["--resume"]);
    outcome.assert_success();
    outcome.assert_stderr_contains(&format!("robots.warc.gz: at byte {start}: "));
}

#[test]
fn the_store_of_a_run_is_the_one_of_its_archive() {
    let servers = Servers::start();
    let run = Run::new();
    assert_eq!(run.fetch(&servers.sites(), &[]).code, 0);
    let records = |run: &Run| {
        let store = robots_crawl::DiskStore::open(run.store()).unwrap();
        let of = |origin: &String| {
            let origin = robots_policy::origins::Origin::of(origin).unwrap();
            store.get(&origin).unwrap()
        };
        servers.origins.iter().map(of).collect::<Vec<_>>()
    };
    let first = records(&run);
    assert!(first.iter().all(Option::is_some), "{first:?}");
    for _ in 0..2 {
        // The store learns the outcomes of the archive again, and does not change.
        assert_eq!(run.fetch(&servers.sites(), &["--resume"]).code, 0);
        assert_eq!(records(&run), first);
    }
    // A new store learns them, too.
    std::fs::remove_file(run.store()).unwrap();
    assert_eq!(run.fetch(&servers.sites(), &["--resume"]).code, 0);
    assert_eq!(records(&run), first);
}

/// Kills a run after the lines of 1, 2, 3 ... sites. The next run requests the other sites.
#[cfg(unix)]
#[test]
fn a_kill_at_any_site_leaves_nothing_out() {
    let servers = Servers::start();
    let sites = servers.sites();
    for kill_after in 1..=sites.len() {
        let run = Run::new();
        // A site that never responds keeps the run from ending.
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let silent_origin = format!("http://{}", silent.local_addr().unwrap());
        let mut listed = sites.clone();
        listed.insert(kill_after, &silent_origin);
        let list = run.path("sites.txt");
        std::fs::write(&list, listed.join("\n")).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_robots"))
            .args(["fetch", &list, "-o", &run.archive(), "--allow-private"])
            .args(["--at-once", "2", "--store", &run.store(), "--json"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert_eq!(lines.take(kill_after).count(), kill_after);
        child.kill().unwrap();
        child.wait().unwrap();
        let before = servers.requests();
        // This list does not have the silent site, which occupied one of the two simultaneous requests.
        let outcome = run.fetch(&sites, &["--resume"]);
        outcome.assert_success();
        let skipped = outcome.stderr.lines().find_map(|line| {
            let number = line.split_once(" skipped")?.0.split(' ').next()?;
            number.parse::<usize>().ok()
        });
        assert!(skipped >= Some(kill_after), "{}", outcome.stderr);
        if kill_after == sites.len() {
            assert_eq!(servers.requests(), before);
        }
        assert_same_decisions(&run, &servers.origins);
    }
}

/// The archive is cut at the start of each record and 20 bytes after it. After the next run, archive and store agree.
#[test]
fn a_cut_at_any_record_leaves_nothing_out() {
    let servers = Servers::start();
    let sites = servers.responding();
    let origins: Vec<String> = sites.iter().map(ToString::to_string).collect();
    let run = Run::new();
    assert_eq!(run.fetch(&sites, &[]).code, 0);
    let whole = std::fs::read(run.archive()).unwrap();
    // The header of a gzip member.
    let is_start = |at: &usize| whole[*at..].starts_with(&[0x1f, 0x8b, 8]);
    let starts: Vec<usize> = (1..whole.len()).filter(is_start).collect();
    assert!(starts.len() > sites.len(), "{}", starts.len());
    for end in starts.iter().flat_map(|start| [*start, start + 20]) {
        std::fs::write(run.archive(), &whole[..end]).unwrap();
        std::fs::remove_file(run.store()).unwrap();
        let outcome = run.fetch(&sites, &["--resume"]);
        outcome.assert_success();
        assert_same_decisions(&run, &origins);
    }
}

#[test]
fn a_store_keeps_a_response_that_is_newer_than_that_of_the_archive() {
    let requests = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&requests);
    let origin = crate::fetch::serve_by_path(move |_| {
        if count.fetch_add(1, Ordering::SeqCst) == 0 {
            OK.to_owned()
        } else {
            "HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n".to_owned()
        }
    });
    let run = Run::new();
    let sites = [origin.as_str()];
    assert_eq!(run.fetch(&sites, &[]).code, 0);
    let earlier = std::fs::read(run.archive()).unwrap();
    // The times of responses are whole seconds: the second response is at least one later.
    std::thread::sleep(Duration::from_millis(1_100));
    std::fs::remove_file(run.archive()).unwrap();
    assert_eq!(run.fetch(&sites, &[]).code, 0);
    std::fs::write(run.archive(), earlier).unwrap();
    assert_eq!(run.fetch(&sites, &["--resume"]).code, 0);
    assert_eq!(requests.load(Ordering::SeqCst), 2);
    let [by_archive, by_store] = decisions(&run, &[origin]);
    assert!(by_archive[0].ends_with("\"disallow\""), "{by_archive:?}");
    assert!(by_store[0].ends_with("\"allow\""), "{by_store:?}");
}

/// The disk is full at the shell's limit on the size of files.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_the_archive_and_the_store_the_same() {
    // Compression leaves much of this noise, so that the archive of 40 such bodies exceeds the limit.
    let noise = (0_u64..40_000).map(|n| format!("# {:x}", n.wrapping_mul(0x9E37_79B9_7F4A_7C15)));
    let noise = noise.collect::<Vec<String>>().join("\n");
    let body = format!("User-agent: *\nDisallow: /private\n{noise}");
    let length = body.len();
    assert!(length > 600_000);
    let answer: &'static str =
        format!("HTTP/1.1 200 X\r\nContent-Length: {length}\r\n\r\n{body}").leak();
    let origins: Vec<String> = (0..40).map(|_| serve(answer).0).collect();
    let run = Run::new();
    let list = run.path("sites.txt");
    std::fs::write(&list, origins.join("\n")).unwrap();
    // The archive becomes full first: it has the body for each site, the store keeps it once. The unit is 1,024 bytes.
    let limit = "trap '' XFSZ; ulimit -f 6000; exec \"$0\" \"$@\"";
    let fetch = || {
        Command::new("bash")
            .args(["-c", limit, env!("CARGO_BIN_EXE_robots"), "fetch", &list])
            .args(["-o", &run.archive(), "--allow-private", "--json"])
            .args(["--store", &run.store(), "--resume", "--at-once", "4"])
            .output()
            .unwrap()
    };
    for _ in 0..2 {
        let output = fetch();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains("cannot write to"), "{stderr}");
        // The archive ends with a whole record.
        assert!(!stderr.contains("cut at byte"), "{stderr}");
        let [by_archive, by_store] = decisions(&run, &origins);
        assert_eq!(by_store, by_archive);
        let disallowed = by_store.iter().filter(|row| row.contains("disallow"));
        assert!(
            (1..origins.len()).contains(&disallowed.count()),
            "{by_store:?}"
        );
    }
    let sites: Vec<&str> = origins.iter().map(String::as_str).collect();
    assert_eq!(run.fetch(&sites, &["--resume"]).code, 0);
    assert_same_decisions(&run, &origins);
}

/// Tests of robots-crawl have every kind of damage.
#[test]
fn a_damaged_store_is_an_error() {
    use robots_crawl::DiskStore;
    use robots_crawl::store::OriginRecord;
    use robots_policy::RobotsFetch;
    use robots_policy::origins::Origin;
    let folder = Folder::new();
    let store_path = folder.path("a.store");
    let store = DiskStore::open(&store_path).unwrap();
    let mut record = OriginRecord::default();
    record.add_outcome(RobotsFetch::Body(b"User-agent: *\nDisallow: /"), None);
    let origin = Origin::of("http://a.example/").unwrap();
    store.put(&origin, &record).unwrap();
    drop(store);
    let pages = folder.file("p.warc", page("http://a.example/", "<p>"));
    let line = format!("decide --json --store {store_path} {pages}");
    let outcome = command(&line);
    outcome.assert_success();
    outcome.assert_stdout_contains("\"fetch\":\"disallow\"");
    let mut flipped = std::fs::read(&store_path).unwrap();
    let text = b"Disallow: /";
    let at = flipped.windows(text.len()).position(|bytes| bytes == text);
    flipped[at.unwrap()] ^= 1;
    std::fs::write(&store_path, &flipped).unwrap();
    command(&line).assert_error("error: ");
    assert_eq!(std::fs::read(&store_path).unwrap(), flipped);
}
