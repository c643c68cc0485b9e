//! The robots.txt of sites, compiled for the robots and readings of questions about URLs.

use crate::policies::BuiltInProfile;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use robots_answers::check::{CheckedFile, Reading};
use robots_policy::Profile;
use robots_txt::Dialect;
use siphasher::sip128::{Hasher128, SipHasher13};
use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::{Arc, LazyLock};

/// The size of all compiled files in bytes. Those that were not asked for recently are dropped.
const MAX_BYTES: u64 = 64 << 20;

/// The approximate size of an entry without its file, in bytes.
const ENTRY_BYTES: usize = 64;

/// The number of entries for which there is room at the start.
const FIRST_CAPACITY: usize = 64;

/// What the verdicts by a compiled file depend on, next to the URL that they are about.
#[derive(Debug, Clone, Copy, Hash)]
pub(crate) struct CheckKey<'k> {
    /// Bytes by which the file is known.
    pub(crate) file: &'k [u8],
    /// The URL of the file, if a reading depends on it.
    pub(crate) url: Option<&'k str>,
    /// The robots that are named.
    pub(crate) names: &'k [String],
    pub(crate) all_agents: bool,
    pub(crate) name_alone: bool,
    /// The readings.
    pub(crate) readings: &'k [KeptReading],
}

/// A dialect without changed switches, or a built-in profile. Files are kept only under such readings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeptReading(&'static Reading);

impl Hash for KeptReading {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.0.profile.is_some(), self.0.name()).hash(state);
    }
}

impl KeptReading {
    /// Returns the reading under a dialect; `None` if some of its switches differ from those of its name.
    pub(crate) fn of_dialect(dialect: &Dialect) -> Option<Self> {
        static ALL: LazyLock<Vec<Reading>> =
            LazyLock::new(|| Dialect::ALL.iter().copied().map(Reading::from).collect());
        let mut all = ALL.iter();
        all.find(|reading| reading.dialect == *dialect).map(Self)
    }

    /// Returns the reading under a built-in profile.
    pub(crate) fn of_profile(profile: BuiltInProfile) -> Option<Self> {
        static ALL: LazyLock<Vec<Reading>> =
            LazyLock::new(|| Profile::all().map(Reading::from).collect());
        let mut all = ALL.iter();
        all.find(|reading| reading.name() == profile.name())
            .map(Self)
    }

    /// Returns the reading.
    pub(crate) fn reading(self) -> &'static Reading {
        self.0
    }
}

/// The files that were compiled recently.
pub(crate) struct CheckedFiles {
    files: Cache<u128, Arc<CheckedFile<'static>>, FileBytes>,
    /// The hash function of keys. It has a secret, so that no file can be made to have the key of another.
    hasher: SipHasher13,
}

impl fmt::Debug for CheckedFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the secret of the hash function.
        f.debug_struct("CheckedFiles").finish_non_exhaustive()
    }
}

/// Weighs a file by its bytes.
#[derive(Debug, Clone)]
struct FileBytes;

impl Weighter<u128, Arc<CheckedFile<'static>>> for FileBytes {
    fn weight(&self, _: &u128, file: &Arc<CheckedFile<'static>>) -> u64 {
        let bytes = file.bytes().saturating_add(ENTRY_BYTES);
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }
}

impl CheckedFiles {
    pub(crate) fn new() -> Self {
        Self::with_limit(MAX_BYTES)
    }

    fn with_limit(bytes: u64) -> Self {
        let secret = || RandomState::new().build_hasher().finish();
        Self {
            files: Cache::with_weighter(FIRST_CAPACITY, bytes, FileBytes),
            hasher: SipHasher13::new_with_keys(secret(), secret()),
        }
    }

    /// Returns the file of a key. Calls `compile` if it is not kept.
    ///
    /// # Errors
    ///
    /// That of `compile`.
    pub(crate) fn get<E>(
        &self,
        key: &CheckKey<'_>,
        compile: impl FnOnce() -> Result<CheckedFile<'static>, E>,
    ) -> Result<Arc<CheckedFile<'static>>, E> {
        let mut hasher = self.hasher;
        key.hash(&mut hasher);
        let key = hasher.finish128().as_u128();
        if let Some(file) = self.files.get(&key) {
            return Ok(file);
        }
        let file = Arc::new(compile()?);
        self.files.insert(key, Arc::clone(&file));
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use super::{CheckKey, CheckedFiles, KeptReading};
    use crate::policies::BuiltInProfile;
    use robots_answers::check::{CheckedFile, CheckedRobots};
    use robots_policy::Profile;
    use robots_policy::profile::AgentTable;
    use robots_txt::{Dialect, RobotsTxt};
    use std::convert::Infallible;
    use std::sync::Arc;

    fn compiled(body: &[u8], readings: &[KeptReading]) -> CheckedFile<'static> {
        let asked = CheckedRobots::new(AgentTable::built_in());
        let readings = readings.iter().map(|kept| kept.reading());
        CheckedFile::new(RobotsTxt::parse(body), asked, readings)
    }

    #[test]
    fn every_built_in_reading_is_kept_and_no_changed_dialect() {
        for dialect in Dialect::ALL {
            let kept = KeptReading::of_dialect(dialect).unwrap().reading();
            assert_eq!(kept.dialect, *dialect);
            assert!(kept.profile.is_none());
        }
        for profile in Profile::all() {
            let name = BuiltInProfile::named(profile.name()).unwrap();
            let kept = KeptReading::of_profile(name).unwrap().reading();
            assert_eq!(kept.profile.as_ref(), Some(&profile));
        }
        let changed = robots_cases::names::dialect("rfc9309+commas").unwrap();
        assert!(KeptReading::of_dialect(&changed).is_none());
    }

    #[test]
    fn a_file_is_compiled_once_for_each_part_of_its_key() {
        let files = CheckedFiles::new();
        let google = KeptReading::of_dialect(&Dialect::GOOGLE).unwrap();
        // It has the name of the dialect.
        let profile = BuiltInProfile::named("google").unwrap();
        let profile = KeptReading::of_profile(profile).unwrap();
        let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect();
        let [one, two, joined]: [Vec<String>; 3] =
            [names(&["a"]), names(&["a", "b"]), names(&["ab"])];
        let first = CheckKey {
            file: b"User-agent: a",
            url: None,
            names: &one,
            all_agents: false,
            name_alone: false,
            readings: &[google],
        };
        let mut compilations = 0;
        for key in [
            first,
            CheckKey {
                file: b"User-agent: b",
                ..first
            },
            CheckKey {
                url: Some(""),
                ..first
            },
            CheckKey {
                names: &two,
                ..first
            },
            CheckKey {
                names: &joined,
                ..first
            },
            CheckKey {
                all_agents: true,
                ..first
            },
            CheckKey {
                name_alone: true,
                ..first
            },
            CheckKey {
                readings: &[profile],
                ..first
            },
            CheckKey {
                readings: &[google, profile],
                ..first
            },
        ] {
            let before = compilations;
            let mut get = || {
                files.get(&key, || {
                    compilations += 1;
                    Ok::<_, Infallible>(compiled(key.file, key.readings))
                })
            };
            let [Ok(file), Ok(same)] = [get(), get()];
            assert!(Arc::ptr_eq(&file, &same));
            assert_eq!(compilations, before + 1, "{key:?}");
        }
    }

    #[test]
    fn files_take_up_to_their_limit() {
        let limit = 1 << 20;
        let files = CheckedFiles::with_limit(limit);
        let reading = [KeptReading::of_dialect(&Dialect::RFC9309).unwrap()];
        let get = |body: &[u8]| {
            let key = CheckKey {
                file: body,
                url: None,
                names: &[],
                all_agents: false,
                name_alone: false,
                readings: &reading,
            };
            let Ok(file) = files.get(&key, || Ok::<_, Infallible>(compiled(body, &reading)));
            assert_eq!(file.robots().body(), body);
        };
        for number in 0..2_000 {
            get(format!("User-agent: *\nDisallow: /{number}{}", "x".repeat(1_000)).as_bytes());
            assert!(files.files.weight() <= limit);
        }
        assert!(files.files.weight() > limit / 2);
        // A file that is larger than the limit is answered, and not kept.
        get(&b"User-agent: *\nDisallow: /x\n".repeat(1 << 16));
        assert!(files.files.weight() <= limit);
    }
}
