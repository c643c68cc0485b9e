//! Files that were damaged: they are kept under another name, up to a maximum number.

use super::file::sync_directory;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use std::{fs, io};

/// The maximum number of damaged files that are kept next to a store: `NAME.damaged-1` to `NAME.damaged-3`.
pub const MAX_SET_ASIDE: usize = 3;

/// Renames a file that cannot be used, and returns its new name: the first free one, or else that of the file that was written first,
/// which is removed.
pub(super) fn set_aside(path: &Path) -> io::Result<PathBuf> {
    let aside = name(path)?;
    fs::rename(path, &aside)?;
    sync_directory(path)?;
    Ok(aside)
}

fn name(path: &Path) -> io::Result<PathBuf> {
    let mut oldest: Option<(SystemTime, PathBuf)> = None;
    for number in 1..=MAX_SET_ASIDE {
        let mut name = OsString::from(path);
        name.push(format!(".damaged-{number}"));
        let name = PathBuf::from(name);
        if !name.try_exists()? {
            return Ok(name);
        }
        let written = fs::metadata(&name)?.modified()?;
        if oldest.as_ref().is_none_or(|(time, _)| written < *time) {
            oldest = Some((written, name));
        }
    }
    oldest
        .map(|(_, name)| name)
        .ok_or_else(|| io::ErrorKind::NotFound.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::time::Duration;

    #[test]
    fn the_file_that_was_written_first_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("origins");
        let start = SystemTime::now() - Duration::from_secs(1_000);
        let mut names = Vec::new();
        // The times when the files were written, in seconds: the second one is the oldest.
        for seconds in [20, 10, 30, 40, 50] {
            let file = File::create(&path).unwrap();
            let written = start + Duration::from_secs(seconds);
            file.set_modified(written).unwrap();
            let name = set_aside(&path).unwrap();
            assert_eq!(fs::metadata(&name).unwrap().modified().unwrap(), written);
            assert!(!path.exists());
            let name = name.extension().unwrap().to_str().unwrap().to_owned();
            names.push(name);
        }
        let expected = ["1", "2", "3", "2", "1"].map(|number| format!("damaged-{number}"));
        assert_eq!(names, expected);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), MAX_SET_ASIDE);
    }
}
