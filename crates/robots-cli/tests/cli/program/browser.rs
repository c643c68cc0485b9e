//! Opens reports in a browser.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// Opens a report in Chromium, and returns its DOM as HTML. Asserts that the report writes nothing to the console and does
/// not request `host`, a host that the report names. Renders it in the widths of a phone and a desktop. Without
/// Chromium, prints a note and returns `None`.
pub fn dom_in_chromium(html: &Path, host: &str) -> Option<String> {
    let chromium = ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok());
    let Some(chromium) = chromium else {
        let _ = writeln!(std::io::stderr(), "skipped: no Chromium");
        return None;
    };
    let folder = tempfile::tempdir().unwrap();
    let net = folder.path().join("net.json");
    let run = |width: u32, extra: &[String]| {
        let profile = folder.path().join("profile");
        let output = Command::new(chromium)
            .args(["--headless", "--no-sandbox", "--disable-gpu"])
            .args(["--enable-logging=stderr", "--disable-background-networking"])
            .args(["--no-first-run", "--disable-component-update"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg(format!("--window-size={width},2000"))
            .args(extra)
            .arg(format!("file://{}", html.display()))
            .output()
            .unwrap();
        let console = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!console.contains(":CONSOLE"), "{console}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let log = format!("--log-net-log={}", net.display());
    let dom = run(1400, &["--dump-dom".to_owned(), log]);
    let requests = fs::read_to_string(&net).unwrap();
    assert!(!requests.contains(host), "the browser requested {host}");
    for width in [390, 1400] {
        let picture = folder.path().join(format!("{width}.png"));
        run(width, &[format!("--screenshot={}", picture.display())]);
        // The report was drawn: the file has more than the header of a picture.
        assert!(fs::metadata(picture).unwrap().len() > 10_000);
    }
    Some(dom)
}
