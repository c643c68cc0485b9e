//! Sets `cfg(corpus)` if the corpus is there when the tests are built.

use std::path::PathBuf;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=ROBOTS_CORPUS");
    println!("cargo::rustc-check-cfg=cfg(corpus)");
    let folder = std::env::var_os("ROBOTS_CORPUS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    if folder.join("corpus").is_dir() {
        println!("cargo::rustc-cfg=corpus");
    }
}
