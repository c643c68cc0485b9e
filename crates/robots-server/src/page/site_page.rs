//! A page of a site that a question is about, and the address of the same question about another page.

use robots_answers::{AgentName, is_of_one_owner};
use url::{Url, form_urlencoded};

/// The maximum length of a URL, in bytes.
pub(super) const MAX_URL_BYTES: usize = 8 * 1024;

/// A page of a site.
#[derive(Debug, Clone)]
pub(super) struct SitePage {
    pub(super) url: String,
    /// The robot that is asked about, if it is not every engine.
    pub(super) robot: Option<AgentName>,
    /// Whether the page is to be read for the owner of its site.
    pub(super) is_for_owner: bool,
}

/// Returns the address of the page with the question about another page that `asked` leads to. It is for the owner only if the
/// page is of the same one. `None` if it is not a page of the Web.
pub(super) fn address(target: &str, asked: Option<&SitePage>) -> Option<String> {
    let web = Url::parse(target).ok()?;
    if !matches!(web.scheme(), "http" | "https") || target.len() > MAX_URL_BYTES {
        return None;
    }
    let mut query = form_urlencoded::Serializer::for_suffix("/?".to_owned(), 2);
    query.append_pair("url", target);
    if let Some(asked) = asked {
        if let Some(AgentName { token, .. }) = &asked.robot {
            query.append_pair("robot", token);
        }
        if asked.is_for_owner && is_of_one_owner(target, &asked.url) {
            query.append_pair("own", "yes");
        }
    }
    Some(query.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_asks_the_same_question_about_another_page() {
        let asked = |robot: Option<&str>, is_for_owner| SitePage {
            url: "https://a.example/x".to_owned(),
            robot: robot.map(|name| name.parse().unwrap()),
            is_for_owner,
        };
        let own = asked(Some("GPTBot"), true);
        assert_eq!(
            address("https://a.example/?b&c=d", Some(&own)).unwrap(),
            "/?url=https%3A%2F%2Fa.example%2F%3Fb%26c%3Dd&robot=GPTBot&own=yes"
        );
        // The other site may be another's.
        assert_eq!(
            address("https://b.example/", Some(&own)).unwrap(),
            "/?url=https%3A%2F%2Fb.example%2F&robot=GPTBot"
        );
        let plain = asked(None, false);
        for asked in [None, Some(&plain)] {
            assert_eq!(
                address("https://b.example/", asked).unwrap(),
                "/?url=https%3A%2F%2Fb.example%2F"
            );
        }
        for target in ["javascript:alert(1)", "ftp://a.example/", "/x", ""] {
            assert_eq!(address(target, Some(&own)), None, "{target}");
        }
    }
}
