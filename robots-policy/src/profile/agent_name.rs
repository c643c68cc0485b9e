//! The name of a robot, as a user gives it.

use super::agents::AgentTable;
use robots_txt::Agent;
use robots_txt::select::product_token;
use std::fmt::{self, Display};
use std::str::FromStr;

/// A robot, named by its product token, by `*`, or by its `User-Agent` header.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AgentName {
    /// The product token, or `*`.
    pub token: String,
    /// The `User-Agent` header, if that was given.
    pub header: Option<String>,
}

/// A text that does not name a robot.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct AgentNameError {
    /// The product token that is probably meant, if the text looks like a name.
    nearest: Option<String>,
}

/// The text of errors about names that are not product tokens.
const EXPECTED_TOKEN: &str = "expected a product token of letters, digits, \"-\", \"_\" and \".\"";

impl Display for AgentNameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(EXPECTED_TOKEN)?;
        match &self.nearest {
            Some(token) => write!(f, "; did you mean \"{token}\"?"),
            None => f.write_str(", or a User-Agent header of a robot"),
        }
    }
}

impl FromStr for AgentName {
    type Err = AgentNameError;

    fn from_str(text: &str) -> Result<Self, AgentNameError> {
        if text == "*" || is_product_token(text) {
            return Ok(Self {
                token: text.to_owned(),
                header: None,
            });
        }
        let known = AgentTable::built_in().of_header(text);
        let known = known.map(|known| known.token.clone());
        let in_header = || Some(Agent::from_user_agent(text)?.name().to_owned());
        let Some(name) = known.or_else(in_header) else {
            return Err(AgentNameError { nearest: None });
        };
        // Only a header has a version or a comment. Other text is probably a name with characters that names cannot have.
        if is_product_token(&name) && text.contains(['/', '(']) {
            return Ok(Self {
                token: name,
                header: Some(text.to_owned()),
            });
        }
        Err(AgentNameError {
            nearest: Some(product_token(&name).to_owned()),
        })
    }
}

/// Returns a text that is a product token. The error suggests one, such as that of a header.
pub(super) fn checked_token(text: String) -> Result<String, String> {
    if is_product_token(&text) {
        return Ok(text);
    }
    let nearest = match text.parse::<AgentName>() {
        Ok(name) => Some(name.token).filter(|token| token != "*"),
        Err(error) => error.nearest,
    };
    let meant = nearest.map_or_else(String::new, |token| format!("; did you mean \"{token}\"?"));
    Err(format!("{EXPECTED_TOKEN}{meant}"))
}

fn is_product_token(text: &str) -> bool {
    !text.is_empty() && product_token(text) == text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn robots_are_named_by_token_or_header() {
        for (text, token, is_header) in [
            ("*", "*", false),
            ("Googlebot", "Googlebot", false),
            ("Mozilla/5.0 (compatible; bingbot/2.0)", "bingbot", true),
            ("MyBot/1.0", "MyBot", true),
        ] {
            let name: AgentName = text.parse().unwrap();
            assert_eq!((&*name.token, name.header.is_some()), (token, is_header));
        }
        let error = |text: &str| text.parse::<AgentName>().unwrap_err().to_string();
        assert!(
            error("My Bot").contains("did you mean \"My\"?"),
            "{}",
            error("My Bot")
        );
        assert!(error("").ends_with("or a User-Agent header of a robot"));
    }
}
