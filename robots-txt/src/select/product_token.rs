//! Product tokens: the names by which groups address robots, checked.

use crate::select::agent::Agent;
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// The name of a robot, such as `Googlebot` or `Sogou web spider`, checked: not a full `User-Agent`
/// value, which [`Agent::from_user_agent`] reads.
///
/// RFC 9309, 2.2.1, allows letters, `-` and `_`. Robots have other names too, so these are
/// accepted: letters and digits of any script, `-`, `_`, `.`, `!`, `'`, `+`, `&`, `:`, and single
/// spaces between words. The first character is a letter, a digit or `_`. `*` stands for any
/// robot that no group names.
///
/// ```
/// use robots_txt::{Agent, Dialect, ProductToken, RobotsTxt, Target};
///
/// let name = ProductToken::parse("ExampleBot")?;
/// let robots = RobotsTxt::parse(b"User-agent: ExampleBot\nDisallow: /");
/// assert!(!robots.rules(&name, &Dialect::RFC9309).verdict(&Target::new("/")).is_allowed());
///
/// let error = ProductToken::parse("Mozilla/5.0 (compatible; ExampleBot/1.0)").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "unexpected character '/' at byte 7 of robot name \"Mozilla/5.0 (compatible; ExampleBot/1.0)\": \
///      pass the name alone, \"ExampleBot\" in this User-Agent value"
/// );
/// # Ok::<(), robots_txt::select::ProductTokenError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProductToken(Box<str>);

/// An invalid name of a robot. See [`ProductToken::parse`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProductTokenError {
    name: Box<str>,
    offset: usize,
}

impl ProductToken {
    /// Checks a name, and returns it as it is written.
    ///
    /// # Errors
    ///
    /// If the name is empty or has a character that names of robots do not have: `/` and
    /// parentheses, for example, which a full `User-Agent` value has.
    pub fn parse(name: &str) -> Result<Self, ProductTokenError> {
        let error = |offset| ProductTokenError {
            name: name.into(),
            offset,
        };
        if name.is_empty() {
            return Err(error(0));
        }
        if name == "*" {
            return Ok(Self(name.into()));
        }
        // A space must not be the first character, nor follow another space: the start counts as a space.
        let mut previous = ' ';
        for (offset, character) in name.char_indices() {
            let is_first = offset == 0;
            let is_valid = match character {
                ' ' => previous != ' ',
                '_' => true,
                '-' | '.' | '!' | '\'' | '+' | '&' | ':' => !is_first,
                _ => character.is_alphanumeric(),
            };
            if !is_valid {
                return Err(error(offset));
            }
            previous = character;
        }
        if previous == ' ' {
            return Err(error(name.len() - 1));
        }
        Ok(Self(name.into()))
    }

    /// Returns the name as it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl ProductTokenError {
    /// Returns the offset in bytes of the unexpected character in the name; 0 if the name is empty.
    pub fn offset(&self) -> usize {
        self.offset
    }
}

impl fmt::Display for ProductTokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(character) = self.name[self.offset..].chars().next() else {
            return f.write_str("empty robot name: pass a name such as ExampleBot, or \"*\"");
        };
        write!(
            f,
            "unexpected character {character:?} at byte {} of robot name {:?}: pass the name alone",
            self.offset, self.name
        )?;
        match Agent::from_user_agent(&self.name) {
            Some(agent) => write!(f, ", {:?} in this User-Agent value", agent.name()),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ProductTokenError {}

impl fmt::Display for ProductToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for ProductToken {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl FromStr for ProductToken {
    type Err = ProductTokenError;

    fn from_str(name: &str) -> Result<Self, ProductTokenError> {
        Self::parse(name)
    }
}

impl From<ProductToken> for Agent<'static> {
    fn from(name: ProductToken) -> Self {
        Agent::new(Cow::Owned(name.0.into()))
    }
}

impl<'n> From<&'n ProductToken> for Agent<'n> {
    fn from(name: &'n ProductToken) -> Self {
        Agent::new(name.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_files_have_are_accepted() {
        for name in [
            "*",
            "Googlebot",
            "Googlebot-News",
            "MJ12bot",
            "ia_archiver",
            "_bot",
            "360Spider",
            "archive.org_bot",
            "Sogou web spider",
            "Yahoo! Slurp",
            "Go!Zilla",
            "Xenu's Link Sleuth 1.1c",
            "Baiduspider+",
            "LWP::Simple",
            "RepoMonkey Bait & Tackle",
            "jävla",
        ] {
            assert_eq!(ProductToken::parse(name).unwrap().as_str(), name);
        }
    }

    #[test]
    fn invalid_names_are_refused_with_the_offset() {
        for (name, offset, character) in [
            ("Googlebot/2.1", 9, '/'),
            ("Mozilla/5.0 (compatible; ExampleBot/1.0)", 7, '/'),
            ("ExampleBot (+https://example.com)", 11, '('),
            ("a, b", 1, ','),
            ("a;b", 1, ';'),
            ("Mediapartners-Google*", 20, '*'),
            (" a", 0, ' '),
            ("a ", 1, ' '),
            ("a  b", 2, ' '),
            ("-a", 0, '-'),
            ("a\tb", 1, '\t'),
            ("a#b", 1, '#'),
            ("é/1", 2, '/'),
        ] {
            let error = ProductToken::parse(name).unwrap_err();
            assert_eq!(error.offset(), offset, "{name:?}");
            let place = format!("{character:?} at byte {offset} of robot name {name:?}: ");
            assert!(error.to_string().contains(&place), "{error}");
        }
        let error = ProductToken::parse("").unwrap_err();
        assert!(error.to_string().starts_with("empty robot name: "));
    }
}
