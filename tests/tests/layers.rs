//! No crate has modules that import each other in a circle.

use robots_tests::layers::Imports;
use std::io;
use std::path::Path;

#[test]
fn no_imports_run_in_a_circle() -> io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut crates: Vec<_> = ["robots-txt", "robots-meta", "robots-policy"]
        .map(|name| root.join(name))
        .into();
    for entry in root.join("crates").read_dir()? {
        crates.push(entry?.path());
    }
    for path in crates {
        let circles = Imports::read(&path.join("src"))?.circles();
        assert!(circles.is_empty(), "{}: {circles:?}", path.display());
    }
    Ok(())
}
