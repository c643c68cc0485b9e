//! The URL or path that a verdict is about.

use robots_policy::origins::Origin;
use robots_txt::Target;
use std::error::Error;
use std::fmt::{self, Display};
use url::{ParseError, Url};

/// A text that is neither a URL with `http` or `https` nor a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetError {
    text: String,
    kind: TargetErrorKind,
}

/// The reason of a [`TargetError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TargetErrorKind {
    /// It has no scheme, and does not begin with `/`.
    Relative,
    /// It is not a URL.
    Invalid(ParseError),
    /// Its scheme is neither `http` nor `https`.
    OtherScheme,
}

impl TargetError {
    /// Returns the reason.
    pub fn kind(&self) -> TargetErrorKind {
        self.kind
    }
}

impl Display for TargetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = &self.text;
        match self.kind {
            TargetErrorKind::Relative => write!(
                f,
                "expected a URL, or a path that begins with /, not {text:?}"
            ),
            TargetErrorKind::Invalid(_) => write!(f, "cannot read the URL {text:?}"),
            TargetErrorKind::OtherScheme => {
                write!(f, "{text:?} is not a URL with http or https")
            }
        }
    }
}

impl Error for TargetError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.kind {
            TargetErrorKind::Invalid(error) => Some(error),
            TargetErrorKind::Relative | TargetErrorKind::OtherScheme => None,
        }
    }
}

/// Returns the origin of a URL with `http` or `https` and a host; `None` for other texts.
pub fn web_origin(url: &str) -> Option<Origin> {
    let origin = Origin::of(url).ok()?;
    let text = origin.to_string();
    let is_web = text.starts_with("http://") || text.starts_with("https://");
    is_web.then_some(origin)
}

/// Returns the target of a URL or path, encoded as a client would request it.
///
/// # Errors
///
/// If the text is neither a URL with `http` or `https` nor a path that begins with `/`.
pub fn target_of(text: &str) -> Result<Target<'static>, TargetError> {
    let error = |kind| TargetError {
        text: text.to_owned(),
        kind,
    };
    // Two slashes begin a path here, not an authority.
    let of_path = text
        .starts_with('/')
        .then(|| format!("https://example.com{text}"));
    let parsed = Url::parse(of_path.as_deref().unwrap_or(text)).map_err(|reason| {
        error(match reason {
            ParseError::RelativeUrlWithoutBase => TargetErrorKind::Relative,
            reason => TargetErrorKind::Invalid(reason),
        })
    })?;
    if !matches!(parsed.scheme(), "http" | "https") {
        return Err(error(TargetErrorKind::OtherScheme));
    }
    Ok(Target::new(parsed.as_str()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_and_paths_are_targets() {
        for text in ["https://example.com/a b", "//a", "/", "/a?b"] {
            assert!(target_of(text).is_ok(), "{text}");
        }
        for path in ["/a b", "//../{x", "/a/../b#c"] {
            let url = format!("https://example.com{path}");
            let [path, url] = [path, &url].map(|text| target_of(text).unwrap());
            assert_eq!(path, url);
        }
        for (text, kind, message) in [
            (
                "a",
                TargetErrorKind::Relative,
                "expected a URL, or a path that begins with /, not \"a\"",
            ),
            (
                "mailto:a",
                TargetErrorKind::OtherScheme,
                "\"mailto:a\" is not a URL with http or https",
            ),
            (
                "ftp://example.com/",
                TargetErrorKind::OtherScheme,
                "\"ftp://example.com/\" is not a URL with http or https",
            ),
            (
                "file://host/a",
                TargetErrorKind::OtherScheme,
                "\"file://host/a\" is not a URL with http or https",
            ),
            (
                "http://[",
                TargetErrorKind::Invalid(ParseError::InvalidIpv6Address),
                "cannot read the URL \"http://[\"",
            ),
        ] {
            let error = target_of(text).unwrap_err();
            assert_eq!(
                (error.kind(), error.to_string()),
                (kind, message.to_owned())
            );
        }
    }
}
