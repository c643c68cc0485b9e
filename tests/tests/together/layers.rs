//! No crate has an import cycle.

use robots_tests::layers::Imports;
use std::io;
use std::path::Path;

#[test]
fn no_crate_has_an_import_cycle() -> io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut crates: Vec<_> = ["robots-txt", "robots-meta", "robots-policy"]
        .map(|name| root.join(name))
        .into();
    for entry in root.join("crates").read_dir()? {
        crates.push(entry?.path());
    }
    for path in crates {
        let cycles = Imports::read(&path.join("src"))?.cycles();
        assert!(cycles.is_empty(), "{}: {cycles:?}", path.display());
    }
    Ok(())
}
