//! The policies of robots that were asked about.

use quick_cache::sync::Cache;
use robots_policy::{Policy, Profile};
use robots_txt::select::ProductTokenError;
use std::sync::{Arc, LazyLock};

/// The number of policies that are kept.
const KEPT: usize = 64;

/// The size of a policy's store in bytes. Up to an eighth of it are compiled rules: 4 MiB, and 256 MiB for all policies.
const STORE_BYTES: u64 = 32 << 20;

/// The policies that were asked for recently. A policy has the compiled rules of the files that it has read.
#[derive(Debug)]
pub(crate) struct Policies(Cache<Key, Arc<Policy>>);

/// A robot under a built-in profile.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    profile: &'static str,
    agent: String,
    is_explained: bool,
}

impl Policies {
    pub(crate) fn new() -> Self {
        Self(Cache::new(KEPT))
    }

    /// Returns the policy of a robot under a built-in profile. Its decisions have reasons and warnings if `is_explained`.
    ///
    /// # Errors
    ///
    /// If the name of the robot is not a product token, or `*`.
    pub(crate) fn get(
        &self,
        profile: BuiltInProfile,
        agent: &str,
        is_explained: bool,
    ) -> Result<Arc<Policy>, ProductTokenError> {
        let key = Key {
            profile: profile.name(),
            agent: agent.to_owned(),
            is_explained,
        };
        self.0.get_or_insert_with(&key, || {
            let policy = Policy::under(profile.profile(), agent)?.with_store_limit(STORE_BYTES);
            Ok(Arc::new(if is_explained {
                policy
            } else {
                policy.without_reasons()
            }))
        })
    }
}

/// A built-in profile, cheap to copy.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BuiltInProfile(&'static Profile);

impl BuiltInProfile {
    /// Returns the profile with a name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let mut all = built_in().iter();
        all.find(|profile| profile.name() == name).map(Self)
    }

    /// Returns the neutral profile.
    pub(crate) fn neutral() -> Self {
        static NEUTRAL: LazyLock<Profile> = LazyLock::new(Profile::neutral);
        Self(&NEUTRAL)
    }

    /// Returns the profile.
    pub(crate) fn profile(self) -> &'static Profile {
        self.0
    }

    /// Returns the name.
    pub(crate) fn name(self) -> &'static str {
        self.0.name()
    }
}

fn built_in() -> &'static [Profile] {
    static ALL: LazyLock<Vec<Profile>> = LazyLock::new(|| Profile::all().collect());
    &ALL
}
