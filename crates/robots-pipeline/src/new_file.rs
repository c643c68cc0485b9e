//! Output files that take their names only when they are complete.

use crate::error::Error;
use std::borrow::Cow;
use std::collections::HashSet;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The extension of the name of a file that is not complete.
const PARTIAL: &str = ".part";

/// Returns the name of a file before it is complete.
pub(crate) fn partial_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(PARTIAL);
    name.into()
}

/// Returns whether a path is a pipe or a device: it can be neither resumed nor renamed.
pub(crate) fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| !metadata.is_file())
}

/// Returns whether standard output is a file, in which its reader can seek.
pub(crate) fn is_stdout_file() -> bool {
    let stdout = io::stdout();
    #[cfg(unix)]
    let copy = std::os::fd::AsFd::as_fd(&stdout).try_clone_to_owned();
    #[cfg(windows)]
    let copy = std::os::windows::io::AsHandle::as_handle(&stdout).try_clone_to_owned();
    let metadata = copy.and_then(|copy| File::from(copy).metadata());
    metadata.is_ok_and(|metadata| metadata.is_file())
}

/// Checks that no output is an input, which would be lost before it is read, and that no two outputs are the same.
///
/// # Errors
///
/// If there is such an output.
pub fn refuse_to_overwrite<'p>(
    outputs: impl Iterator<Item = PathBuf>,
    inputs: impl Iterator<Item = Cow<'p, Path>>,
) -> Result<(), Error> {
    let inputs: HashSet<PathBuf> = inputs
        .filter_map(|input| input.canonicalize().ok())
        .collect();
    let mut written = HashSet::new();
    for output in outputs {
        let real = output.canonicalize().unwrap_or_else(|_| output.clone());
        if inputs.contains(&real) {
            return Err(Error::OutputIsInput(output));
        }
        if !written.insert(real) {
            return Err(Error::DuplicateOutput(output));
        }
    }
    Ok(())
}

/// Creates a file, or empties an earlier one, and locks it ([`lock`]).
///
/// # Errors
///
/// If it cannot be created, or if another run writes it: it then stays as it is.
pub fn create_locked(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let file = options
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)?;
    lock(&file, path)?;
    if file.metadata()?.is_file() {
        file.set_len(0)?;
    }
    Ok(file)
}

/// Locks a file that was opened for writing by this path, against other runs that lock it. A pipe or a device is not locked, and some
/// file systems have no locks.
///
/// # Errors
///
/// If another run writes the file, or has just completed it, so that the path is no longer its name.
pub fn lock(file: &File, path: &Path) -> io::Result<()> {
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Ok(());
    }
    let is_free = !matches!(file.try_lock(), Err(TryLockError::WouldBlock));
    if is_free && is_at(&metadata, path) {
        return Ok(());
    }
    let message = "another run is writing it";
    Err(io::Error::new(io::ErrorKind::ResourceBusy, message))
}

/// Returns whether a path still is that of an open file.
#[cfg(unix)]
fn is_at(opened: &Metadata, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let found = fs::metadata(path);
    found.is_ok_and(|found| (found.dev(), found.ino()) == (opened.dev(), opened.ino()))
}

/// Returns whether a path still is that of an open file: files are not renamed while they are open here.
#[cfg(not(unix))]
fn is_at(_: &Metadata, path: &Path) -> bool {
    path.exists()
}

/// A file under construction, next to the file that it replaces: its name has `.part` at the end.
///
/// [`finish`](Self::finish) renames it. Until then an earlier file of this name stays as it was. Without `finish`,
/// the new file is removed; after a kill it stays. A pipe or a device is written directly.
#[derive(Debug)]
pub struct NewFile {
    file: File,
    /// The names before and after `finish`; `None` for a pipe or a device, and after `finish`.
    names: Option<(PathBuf, PathBuf)>,
}

impl NewFile {
    /// Creates the new file, with the owner and the permissions of the earlier one. A symbolic link is kept: its target is replaced.
    ///
    /// # Errors
    ///
    /// If it cannot be created, if the user may not give it to the owner of the earlier one, or if the path is `-`, which the user
    /// probably takes for standard output.
    pub fn create(path: &Path) -> io::Result<Self> {
        if path.as_os_str() == "-" {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "this output cannot be standard output; for a file of this name, use ./-",
            ));
        }
        if is_special(path) {
            return Ok(Self {
                file: create_locked(path)?,
                names: None,
            });
        }
        let earlier = path.canonicalize();
        let path = earlier.as_deref().unwrap_or(path);
        let part = partial_name(path);
        let file = create_locked(&part)?;
        let new = Self {
            file,
            names: Some((part, path.to_owned())),
        };
        if let Ok(metadata) = fs::metadata(path) {
            // A file that its user may not write is not replaced.
            OpenOptions::new().append(true).open(path)?;
            keep_owner(&new.file, &metadata)?;
            new.file.set_permissions(metadata.permissions())?;
        }
        Ok(new)
    }

    /// Waits until the content is on disk, and gives the file its name.
    ///
    /// # Errors
    ///
    /// If the content cannot be written, or the file cannot be renamed. An earlier file stays as it was.
    pub fn finish(mut self) -> io::Result<()> {
        let Some((part, path)) = &self.names else {
            return self.file.flush();
        };
        self.file.sync_data()?;
        fs::rename(part, path)?;
        self.names = None;
        Ok(())
    }

    /// Writes a whole file.
    ///
    /// # Errors
    ///
    /// If it cannot be written. An earlier file stays as it was.
    pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        let mut file = Self::create(path)?;
        file.write_all(bytes.as_ref())?;
        file.finish()
    }
}

/// Gives a new file the user and the group of an earlier one: a server may read its file as their member only.
#[cfg(unix)]
fn keep_owner(new: &File, earlier: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let owner = |metadata: &Metadata| (metadata.uid(), metadata.gid());
    let (user, group) = owner(earlier);
    if owner(&new.metadata()?) == (user, group) {
        return Ok(());
    }
    fchown(new, Some(user), Some(group)).map_err(|error| {
        let message = format!("cannot keep its owner, user {user} and group {group}: {error}");
        io::Error::new(error.kind(), message)
    })
}

/// Does nothing: a new file has the owner that its folder gives it.
#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some((part, _)) = &self.names {
            // A part that cannot be removed does no harm: its name shows that it is not complete.
            let _ = fs::remove_file(part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_runs_do_not_write_the_same_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.html");
        let mut first = NewFile::create(&path).unwrap();
        first.write_all(b"first").unwrap();
        let error = NewFile::create(&path).unwrap_err();
        assert_eq!(error.to_string(), "another run is writing it");
        first.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"first");
        NewFile::write(&path, "second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        // A file that has another name by now is that of another run.
        let part = partial_name(&path);
        let opened = File::create(&part).unwrap();
        fs::rename(&part, folder.path().join("renamed")).unwrap();
        assert!(lock(&opened, &part).is_err());
        File::create(&part).unwrap();
        assert_eq!(lock(&opened, &part).is_err(), cfg!(unix));
        // A device has any number of writers.
        let null = Path::new("/dev/null");
        if null.exists() {
            let _writers = [create_locked(null).unwrap(), create_locked(null).unwrap()];
        }
    }

    #[test]
    fn an_earlier_file_stays_until_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.html");
        fs::write(&path, "old").unwrap();
        let mut file = NewFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        drop(file);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        NewFile::write(&path, "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_that_does_not_exist_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        assert!(NewFile::create(&folder.path().join("no/report.html")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_owners_and_permissions_are_kept() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
        let folder = tempfile::tempdir().unwrap();
        let [path, link] = ["robots.txt", "link"].map(|name| folder.path().join(name));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o604)).unwrap();
        symlink(&path, &link).unwrap();
        // Only the administrator may give files away.
        let _ = chown(&path, Some(33), Some(34));
        let owner = || fs::metadata(&path).map(|found| (found.uid(), found.gid()));
        let earlier = owner().unwrap();
        NewFile::write(&link, "new").unwrap();
        assert_eq!(owner().unwrap(), earlier);
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert!(link.is_symlink());
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o604);
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_written_directly() {
        NewFile::write(Path::new("/dev/null"), "text").unwrap();
        assert!(!Path::new("/dev/null.part").exists());
    }
}
