//! The robots.txt of sites, compiled for the robots and readings of questions about URLs.

use crate::policies::BuiltInProfile;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use robots_answers::check::{CheckedFile, Reading};
use robots_policy::Profile;
use robots_txt::Dialect;
use std::sync::{Arc, LazyLock};

/// The size of all compiled files in bytes. Those that were not asked for recently are dropped.
const MAX_BYTES: u64 = 64 << 20;

/// The approximate size of an entry without its key and file, in bytes.
const ENTRY_BYTES: usize = 64;

/// The number of entries for which there is room at the start.
const FIRST_CAPACITY: usize = 64;

/// The files that were compiled recently.
#[derive(Debug)]
pub(crate) struct CheckedFiles(Cache<String, Arc<CheckedFile<'static>>, FileBytes>);

/// Weighs a file by its bytes.
#[derive(Debug, Clone)]
struct FileBytes;

impl Weighter<String, Arc<CheckedFile<'static>>> for FileBytes {
    fn weight(&self, key: &String, file: &Arc<CheckedFile<'static>>) -> u64 {
        (file.bytes() + key.len() + ENTRY_BYTES) as u64
    }
}

impl CheckedFiles {
    pub(crate) fn new() -> Self {
        Self::with_limit(MAX_BYTES)
    }

    fn with_limit(bytes: u64) -> Self {
        Self(Cache::with_weighter(FIRST_CAPACITY, bytes, FileBytes))
    }

    /// Returns the file of a key, which has all that verdicts depend on, next to the URL that they are about. Calls `compile` if it is not kept.
    ///
    /// # Errors
    ///
    /// That of `compile`.
    pub(crate) fn get<E>(
        &self,
        key: &str,
        compile: impl FnOnce() -> Result<CheckedFile<'static>, E>,
    ) -> Result<Arc<CheckedFile<'static>>, E> {
        if let Some(file) = self.0.get(key) {
            return Ok(file);
        }
        let file = Arc::new(compile()?);
        self.0.insert(key.to_owned(), Arc::clone(&file));
        Ok(file)
    }
}

/// The readings under which files are kept: dialects without changed switches, and built-in profiles.
static READINGS: LazyLock<Vec<Reading>> = LazyLock::new(|| {
    let dialects = Dialect::ALL.iter().copied().map(Reading::from);
    dialects.chain(Profile::all().map(Reading::from)).collect()
});

/// Returns the reading under a dialect; `None` if some of its switches differ from those of its name.
pub(crate) fn dialect_reading(dialect: &Dialect) -> Option<&'static Reading> {
    let mut all = READINGS.iter();
    all.find(|reading| reading.profile.is_none() && reading.dialect == *dialect)
}

/// Returns the reading under a built-in profile.
pub(crate) fn profile_reading(profile: BuiltInProfile) -> Option<&'static Reading> {
    let mut all = READINGS.iter();
    all.find(|reading| reading.profile.is_some() && reading.name() == profile.name())
}

#[cfg(test)]
mod tests {
    use super::{CheckedFiles, dialect_reading, profile_reading};
    use crate::policies::named;
    use robots_answers::check::{CheckedFile, CheckedRobots};
    use robots_policy::Profile;
    use robots_policy::profile::AgentTable;
    use robots_txt::{Dialect, RobotsTxt};
    use std::convert::Infallible;
    use std::sync::Arc;

    #[test]
    fn every_built_in_reading_is_kept_and_no_changed_dialect() {
        for dialect in Dialect::ALL {
            let kept = dialect_reading(dialect).unwrap();
            assert_eq!(kept.dialect, *dialect);
            assert!(kept.profile.is_none());
        }
        for profile in Profile::all() {
            let name = named(profile.name()).unwrap();
            let kept = profile_reading(name).unwrap();
            assert_eq!(kept.profile.as_ref(), Some(&profile));
        }
        let changed = robots_cases::names::dialect("rfc9309+commas").unwrap();
        assert!(dialect_reading(&changed).is_none());
    }

    #[test]
    fn files_are_kept_up_to_the_limit() {
        let files = CheckedFiles::with_limit(64 << 10);
        let reading = dialect_reading(&Dialect::RFC9309).unwrap();
        let get = |key: &str| {
            let asked = CheckedRobots::new(AgentTable::built_in());
            let compile = || {
                let file = RobotsTxt::parse("User-agent: *\nDisallow: /a\n".repeat(50));
                Ok::<_, Infallible>(CheckedFile::new(file, asked, [reading]))
            };
            files.get(key, compile).unwrap()
        };
        let first = get("first");
        assert!(Arc::ptr_eq(&first, &get("first")));
        assert!(!Arc::ptr_eq(&first, &get("second")));
        (0..1000).for_each(|number| drop(get(&number.to_string())));
        assert!(files.0.weight() <= 64 << 10);
        assert!(files.0.len() < 1000);
    }
}
