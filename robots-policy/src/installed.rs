//! The default policy of the process.

use crate::decision::Decision;
use crate::input::page::Page;
use crate::policy::Policy;
use std::sync::{LazyLock, OnceLock};
use thiserror::Error;

static INSTALLED: OnceLock<Policy> = OnceLock::new();

/// The policy until one is installed.
static FALLBACK: LazyLock<Policy> = LazyLock::new(Policy::default);

/// Installs the default policy of the process, for [`decide()`] and [`decide_page`]. A
/// program calls it once when it starts; a library leaves it to the program.
///
/// # Errors
///
/// If a policy is installed already.
pub fn install(policy: Policy) -> Result<(), AlreadyInstalled> {
    INSTALLED
        .set(policy)
        .map_err(|_| AlreadyInstalled { _private: () })
}

/// Returns the default policy of the process. Until one is installed, it is a fallback:
/// [`Policy::default`], which decides for the robot `*` and knows no robots.txt. Using the fallback
/// leaves the slot free for [`install`].
pub fn policy() -> &'static Policy {
    INSTALLED.get().unwrap_or_else(|| &FALLBACK)
}

/// Decides about a page, given its HTML, under the default policy of the process.
///
/// Until a policy is installed, the decision is for the robot `*` and knows no robots.txt: only what the page forbids is known
/// ([`Policy::decide`]).
pub fn decide(url: &str, html: impl AsRef<[u8]>) -> Decision {
    policy().decide(url, html.as_ref())
}

/// Decides about a URL and its response, as far as it is known, under the default policy of the
/// process. See [`decide()`] for the policy until one is installed.
pub fn decide_page(page: &Page<'_>) -> Decision {
    policy().decide_page(page)
}

/// An attempt to install a second default policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a default policy is already installed")]
pub struct AlreadyInstalled {
    _private: (),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Fetch, Index};
    use crate::robots::RobotsFetch;

    /// The only unit test that installs a policy.
    #[test]
    fn a_policy_can_be_installed_after_the_fallback_was_used() {
        let url = "https://example.com/x";
        let html = b"<meta name=ExampleBot content=noindex>";
        let decision = decide(url, html);
        assert_eq!(decision.agent, "*");
        assert_eq!(
            (decision.fetch, decision.index),
            (Fetch::Unknown, Index::Unknown)
        );
        assert_eq!(policy().agent(), "*");

        let policy = Policy::new("ExampleBot").unwrap();
        policy.learn(url, RobotsFetch::Status(404)).unwrap();
        install(policy).unwrap();
        assert_eq!(decide(url, html).index, Index::No);
        let page = Page::new(url).with_html(html);
        assert_eq!(decide_page(&page).fetch, Fetch::Allow);
        assert_eq!(
            install(Policy::default()),
            Err(AlreadyInstalled { _private: () })
        );
    }
}
