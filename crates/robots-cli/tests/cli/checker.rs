//! The checker page of `robots serve` in Chromium: the short form of `.ci/checker`.

use std::env;
use std::path::Path;
use std::process::Command;

/// The script with its packages, which `npm ci` installs.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/checker");

#[test]
fn the_page_works_in_a_browser() {
    let chromium = env::var("CHROMIUM").unwrap_or_else(|_| "/usr/bin/chromium".to_owned());
    node(FOLDER, &[("Chromium", Path::new(&chromium))]);
}

/// Runs the script `check.mjs` of a folder. Where a program or the packages are missing, the test fails if `CI` is `true`, and is
/// skipped otherwise.
pub(crate) fn node(folder: &str, programs: &[(&str, &Path)]) {
    let packages = Path::new(folder).join("node_modules");
    for (what, path) in programs.iter().chain(&[("npm packages", &*packages)]) {
        if !path.exists() {
            let missing = format!("no {what}: {} does not exist", path.display());
            assert!(env::var("CI").as_deref() != Ok("true"), "{missing}");
            eprintln!("skipped: {missing}");
            return;
        }
    }
    let output = Command::new("node")
        .arg("check.mjs")
        .current_dir(folder)
        .env("ROBOTS_PROGRAM", env!("CARGO_BIN_EXE_robots"))
        .env("SHORT", "true")
        .env_remove("PICTURES")
        .output()
        .unwrap();
    let [out, err] =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.success(), "{out}{err}");
}
