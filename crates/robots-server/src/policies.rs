//! The policies of robots that were asked about.

use crate::config::Limits;
use quick_cache::sync::Cache;
use robots_policy::origins::CompiledFiles;
use robots_policy::{Policy, Profile};
use robots_txt::select::ProductTokenError;
use std::sync::{Arc, LazyLock};

/// The number of questions whose robots are kept, if each has as many as `limits.robots` allows.
const KEPT_QUESTIONS: usize = 4;

/// The least number of robots that are kept.
const MIN_KEPT: usize = 64;

/// The size of the compiled files of all policies, in bytes.
const FILES_BYTES: u64 = 64 << 20;

/// The policies that were asked for recently, and the compiled rules of the files that they have read.
#[derive(Debug)]
pub(crate) struct PolicyCache {
    /// By profile, robot, and whether decisions have reasons.
    kept: Cache<(&'static str, String, bool), Arc<Policy>>,
    files: CompiledFiles,
}

impl PolicyCache {
    pub(crate) fn new(limits: &Limits) -> Self {
        let kept = limits.robots.saturating_mul(KEPT_QUESTIONS);
        Self {
            kept: Cache::new(kept.max(MIN_KEPT)),
            files: CompiledFiles::new(FILES_BYTES),
        }
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
        let key = (profile.name(), agent.to_owned(), is_explained);
        self.kept.get_or_insert_with(&key, || {
            let policy = Policy::under(profile, agent)?;
            let policy = policy.with_compiled_files(&self.files);
            Ok(Arc::new(if is_explained {
                policy
            } else {
                policy.without_reasons()
            }))
        })
    }
}

/// A built-in profile.
pub(crate) type BuiltInProfile = &'static Profile;

/// Returns the built-in profile with a name.
pub(crate) fn named(name: &str) -> Option<BuiltInProfile> {
    static ALL: LazyLock<Vec<Profile>> = LazyLock::new(|| Profile::all().collect());
    ALL.iter().find(|profile| profile.name() == name)
}

#[cfg(test)]
mod tests {
    use super::{PolicyCache, named};
    use crate::config::Limits;
    use std::sync::Arc;

    #[test]
    fn the_robots_of_the_largest_questions_are_kept() {
        let limits = Limits::default();
        let policies = PolicyCache::new(&limits);
        let ask = |question: usize, is_explained: bool| -> Vec<_> {
            (0..limits.robots)
                .map(|robot| {
                    let name = format!("R{question}-{robot}");
                    let policy = policies.get(named("neutral").unwrap(), &name, is_explained);
                    policy.unwrap()
                })
                .collect()
        };
        let first = ask(0, true);
        ask(1, true);
        for (before, after) in first.iter().zip(ask(0, true)) {
            assert!(Arc::ptr_eq(before, &after), "{}", after.agent());
        }
        ask(0, false);
        let again = ask(0, true);
        assert!(Arc::ptr_eq(&first[0], &again[0]));
    }
}
