//! The policies of robots that were asked about.

use crate::config::Limits;
use quick_cache::sync::Cache;
use robots_policy::origins::CompiledFiles;
use robots_policy::{Policy, Profile};
use robots_txt::select::ProductTokenError;
use std::sync::Arc;

/// The number of questions whose robots are kept, if each has as many as `limits.robots` allows.
const KEPT_QUESTIONS: usize = 4;

/// The least number of robots that are kept.
const MIN_KEPT: usize = 64;

/// The size of the compiled files of all policies, in bytes.
const FILES_BYTES: u64 = 64 << 20;

/// The policies that were asked for recently, and the compiled rules of the files that they have read.
#[derive(Debug)]
pub(crate) struct PolicyCache {
    /// By profile, robot, and the reading of pages.
    kept: Cache<(&'static str, String, PageReading), Arc<Policy>>,
    files: CompiledFiles,
}

/// How policies read pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PageReading {
    /// Whether pages are read as by a browser that runs scripts.
    pub(crate) has_scripting: bool,
    /// Whether decisions have reasons and warnings.
    pub(crate) is_explained: bool,
}

impl PolicyCache {
    pub(crate) fn new(limits: &Limits) -> Self {
        let kept = limits.robots.saturating_mul(KEPT_QUESTIONS);
        Self {
            kept: Cache::new(kept.max(MIN_KEPT)),
            files: CompiledFiles::new(FILES_BYTES),
        }
    }

    /// Returns the policy of a robot under a built-in profile. Fails if the name of the robot is not a product token, or `*`.
    pub(crate) fn get(
        &self,
        profile: BuiltInProfile,
        agent: &str,
        reading: PageReading,
    ) -> Result<Arc<Policy>, ProductTokenError> {
        let key = (profile.name(), agent.to_owned(), reading);
        self.kept.get_or_insert_with(&key, || {
            let policy = Policy::under(profile, agent)?;
            let policy = policy.with_compiled_files(&self.files);
            let policy = policy.with_scripting(reading.has_scripting);
            Ok(Arc::new(if reading.is_explained {
                policy
            } else {
                policy.without_reasons()
            }))
        })
    }
}

/// A built-in profile.
pub(crate) type BuiltInProfile = &'static Profile;

#[cfg(test)]
mod tests {
    use super::{PageReading, PolicyCache};
    use crate::config::Limits;
    use robots_policy::Profile;
    use std::sync::Arc;

    #[test]
    fn the_robots_of_the_largest_questions_are_kept() {
        let limits = Limits::default();
        let policies = PolicyCache::new(&limits);
        let ask = |question: usize, is_explained: bool| -> Vec<_> {
            (0..limits.robots)
                .map(|robot| {
                    let name = format!("R{question}-{robot}");
                    let reading = PageReading {
                        has_scripting: false,
                        is_explained,
                    };
                    let policy = policies.get(Profile::of_robot("*"), &name, reading);
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
