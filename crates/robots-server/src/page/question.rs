//! The questions of the page: what its forms send.
//!
//! A form sends fields in UTF-8, in a query or a body (`application/x-www-form-urlencoded`). The fields that are present show
//! which form was sent: [`Form::question`].

use super::header_lines::header_lines;
use super::site_page::{MAX_URL_BYTES, SitePage};
use robots_answers::why::evidence::{KnownPage, PageEvidence};
use robots_answers::{AgentName, typed_url};
use robots_policy::origins::Origin;
use robots_policy::text::printable;
use std::collections::HashMap;
use url::form_urlencoded;

/// The maximum number of URLs of a question.
pub(super) const MAX_URLS: usize = 50;

/// The maximum length of the name of a robot, or of its `User-Agent` header, in bytes.
pub(super) const MAX_ROBOT_BYTES: usize = 1024;

/// The site of pasted paths without another URL.
const EXAMPLE: &str = "https://example.com";

/// The fields of the forms, as they were sent, by their names.
#[derive(Debug, Default)]
pub(super) struct Form(HashMap<String, String>);

/// A question.
#[derive(Debug)]
pub(super) enum Question {
    /// About the page of a site.
    Site(SitePage),
    /// About a pasted robots.txt.
    Text(PastedText),
    /// About two versions of a robots.txt.
    Comparison { old: OldVersion, new: Vec<u8> },
}

/// A pasted robots.txt, and the pages that the question is about.
#[derive(Debug)]
pub(super) struct PastedText {
    /// The robot that is asked about, if it is not every engine.
    pub(super) robot: Option<AgentName>,
    pub(super) robots: Vec<u8>,
    /// The URL of the page.
    pub(super) url: String,
    /// Further URLs.
    pub(super) others: Vec<String>,
    pub(super) page: PageEvidence,
}

/// The old one of two versions of a robots.txt.
#[derive(Debug)]
pub(super) enum OldVersion {
    Text(Vec<u8>),
    /// That of the site of this URL.
    Site(String),
}

/// A question that cannot be answered as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BadQuestion {
    /// The field that has the mistake.
    pub(super) field: &'static str,
    pub(super) headline: &'static str,
    /// What is wrong and what to do, in sentences.
    pub(super) text: String,
}

impl Form {
    /// Reads the fields of a query or a body. Of a field that is repeated, the last one counts.
    pub(super) fn parse(encoded: &[u8]) -> Self {
        let fields = form_urlencoded::parse(encoded);
        let fields = fields.map(|(name, value)| (name.into_owned(), with_line_feeds(&value)));
        Self(fields.collect())
    }

    /// Returns a field, if it was sent.
    pub(super) fn field(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Removes a field. Returns whether it was sent.
    pub(super) fn remove(&mut self, name: &str) -> bool {
        self.0.remove(name).is_some()
    }

    /// Returns the text of a field, which is empty if the field was not sent.
    pub(super) fn text(&self, name: &str) -> &str {
        self.field(name).unwrap_or_default()
    }

    /// Returns the question; `None` if no form was sent.
    ///
    /// A new version asks for a comparison; otherwise a robots.txt, which may be empty, asks about this text; otherwise a URL
    /// asks about its site.
    pub(super) fn question(&self) -> Result<Option<Question>, BadQuestion> {
        if let Some(new) = self.field("new") {
            return self.comparison(new).map(Some);
        }
        if let Some(robots) = self.field("robots") {
            let (url, others) = urls(self.text("urls"))?;
            return Ok(Some(Question::Text(PastedText {
                robot: self.robot()?,
                robots: robots.into(),
                url,
                others,
                page: self.page()?,
            })));
        }
        let Some(url) = self.field("url") else {
            return Ok(None);
        };
        if url.trim().is_empty() {
            return Err(BadQuestion {
                field: "url",
                headline: "Which page?",
                text: "Type the URL of a page, such as https://example.com/offers, or the name of a site."
                    .to_owned(),
            });
        }
        Ok(Some(Question::Site(SitePage {
            url: page_url(url.trim(), "url")?,
            robot: self.robot()?,
            is_for_owner: !self.text("own").is_empty(),
        })))
    }

    /// Returns the robot that the question is about; `None` for every engine.
    fn robot(&self) -> Result<Option<AgentName>, BadQuestion> {
        let name = self.text("robot").trim();
        if name.is_empty() {
            return Ok(None);
        }
        let bad = |text: String| BadQuestion {
            field: "robot",
            headline: "This is not the name of a robot",
            text,
        };
        if name.len() > MAX_ROBOT_BYTES {
            let length = name.len();
            return Err(bad(format!(
                "A name may have up to {MAX_ROBOT_BYTES} bytes; this one has {length}."
            )));
        }
        let robot = name.parse::<AgentName>();
        let robot = robot.map_err(|error| {
            bad(format!(
                "{}: {error}. An example is Googlebot.",
                printable(name)
            ))
        })?;
        Ok(Some(robot))
    }

    fn comparison(&self, new: &str) -> Result<Question, BadQuestion> {
        let (old, site) = (self.text("old"), self.text("site").trim());
        let old = match (site.is_empty(), old.is_empty()) {
            (true, _) => OldVersion::Text(old.as_bytes().to_vec()),
            (false, true) => OldVersion::Site(page_url(site, "site")?),
            (false, false) => {
                return Err(BadQuestion {
                    field: "site",
                    headline: "Which old version?",
                    text: "Name a site or paste the old version, not both.".to_owned(),
                });
            }
        };
        Ok(Question::Comparison {
            old,
            new: new.as_bytes().to_vec(),
        })
    }

    /// Returns what is known about the page of a pasted robots.txt.
    fn page(&self) -> Result<PageEvidence, BadQuestion> {
        let (html, headers) = (self.text("html"), self.text("headers"));
        if html.trim().is_empty() && headers.trim().is_empty() {
            return Ok(PageEvidence::Unknown(
                "no HTML and no headers were pasted".to_owned(),
            ));
        }
        let (status, lines) = header_lines(headers).map_err(|text| BadQuestion {
            field: "headers",
            headline: "These are not header lines",
            text,
        })?;
        let html = Some(html).filter(|html| !html.trim().is_empty());
        // Forms are UTF-8, whatever the page had been.
        let charset = html.map(|_| "utf-8".to_owned());
        let html = html.map(|html| html.as_bytes().to_vec());
        let page = KnownPage::given(status, lines, html, charset);
        Ok(PageEvidence::Known(Box::new(page)))
    }
}

/// Returns a text with the line ends that it has in its field: browsers send CRLF for each, whatever was pasted.
fn with_line_feeds(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Returns a URL with a scheme: a name of a site is taken for its start page by HTTPS.
fn page_url(text: &str, field: &'static str) -> Result<String, BadQuestion> {
    let bad = |text: String| BadQuestion {
        field,
        headline: "This is not a URL that can be checked",
        text,
    };
    if text.len() > MAX_URL_BYTES {
        return Err(bad(format!(
            "A URL may have up to {MAX_URL_BYTES} bytes; this one has {}.",
            text.len()
        )));
    }
    typed_url(text).map_err(|_| {
        bad(format!(
            "{} is not a URL with http or https. An example is https://example.com/offers.",
            printable(text)
        ))
    })
}

/// Reads URLs, one a line: the first, and the others. A path belongs to the site of the first URL with a site, or else to
/// [`EXAMPLE`]. Without a line, it is the start page.
fn urls(text: &str) -> Result<(String, Vec<String>), BadQuestion> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines: Vec<&str> = lines.collect();
    if lines.len() > MAX_URLS {
        return Err(BadQuestion {
            field: "urls",
            headline: "These are too many URLs",
            text: format!(
                "Up to {MAX_URLS} URLs are answered at once; these are {}. The command robots check has no limit.",
                lines.len()
            ),
        });
    }
    let is_path = |line: &&&str| line.starts_with('/');
    let site = match lines.iter().find(|line| !is_path(line)) {
        Some(line) => {
            let url = page_url(line, "urls")?;
            Origin::of(&url).map_or_else(|_| EXAMPLE.to_owned(), |origin| origin.to_string())
        }
        None => EXAMPLE.to_owned(),
    };
    let url = |line: &&str| match line.strip_prefix('/') {
        Some(path) => page_url(&format!("{site}/{path}"), "urls"),
        None => page_url(line, "urls"),
    };
    let (first, rest) = lines.split_first().unwrap_or((&"/", &[]));
    Ok((url(first)?, rest.iter().map(url).collect::<Result<_, _>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(encoded: &str) -> Result<Option<Question>, BadQuestion> {
        Form::parse(encoded.as_bytes()).question()
    }

    #[test]
    fn a_site_or_a_url_is_asked_about() {
        for (text, url) in [
            ("example.com", "https://example.com"),
            ("+http://example.com/x+", "http://example.com/x"),
            ("example.com/a?b=c", "https://example.com/a?b=c"),
            ("a.example/?b=https://c/", "https://a.example/?b=https://c/"),
        ] {
            let asked = ask(&format!("url={text}"));
            assert!(
                matches!(&asked, Ok(Some(Question::Site(found))) if found.url == url),
                "{asked:?}"
            );
        }
        assert!(matches!(ask(""), Ok(None)));
        assert!(matches!(ask("other=x"), Ok(None)));
        for (text, word) in [
            ("", "Type the URL"),
            ("ftp://example.com/", "is not a URL with http or https"),
            ("://example.com/", "is not a URL with http or https"),
            ("a b%00", "is not a URL"),
        ] {
            let error = ask(&format!("url={text}")).unwrap_err();
            assert_eq!(error.field, "url");
            assert!(error.text.contains(word), "{}", error.text);
            assert!(!error.text.contains('\0'));
        }
        let long = |bytes: usize| {
            ask(&format!(
                "url=https://example.com/{}",
                "a".repeat(bytes - 20)
            ))
        };
        assert!(long(MAX_URL_BYTES).is_ok());
        let error = long(MAX_URL_BYTES + 1).unwrap_err();
        assert!(error.text.contains("8192 bytes"), "{}", error.text);
    }

    #[test]
    fn a_question_may_name_a_robot() {
        let robot = |text: &str| match ask(&format!("url=a.example&robot={text}")) {
            Ok(Some(Question::Site(SitePage { robot, .. }))) => Ok(robot.map(|name| name.token)),
            Err(error) => Err(error),
            other => panic!("{other:?}"),
        };
        for (text, token) in [
            ("", None),
            ("+", None),
            ("GPTBot", Some("GPTBot")),
            ("+googlebot+", Some("googlebot")),
            ("*", Some("*")),
            ("NewBot", Some("NewBot")),
            ("Mozilla/5.0+(compatible;+bingbot/2.0)", Some("bingbot")),
        ] {
            assert_eq!(robot(text).unwrap().as_deref(), token, "{text}");
        }
        for text in ["My+Bot", "<b>", &"a".repeat(MAX_ROBOT_BYTES + 1)] {
            let error = robot(text).unwrap_err();
            assert_eq!(error.field, "robot");
            assert!(!error.text.contains('\0'), "{}", error.text);
        }
        let is_for_owner = |text: &str| match ask(&format!("url=a.example{text}")) {
            Ok(Some(Question::Site(page))) => page.is_for_owner,
            other => panic!("{other:?}"),
        };
        assert!(is_for_owner("&own=yes"));
        assert!(!is_for_owner("") && !is_for_owner("&own="));
    }

    #[test]
    fn urls_of_a_text_may_be_paths() {
        let urls = |text: &str| {
            let (first, rest) = urls(text).unwrap();
            [vec![first], rest].concat()
        };
        assert_eq!(urls(" \n"), ["https://example.com/"]);
        assert_eq!(
            urls("/a\r\n\r\n/b"),
            ["https://example.com/a", "https://example.com/b"]
        );
        assert_eq!(
            urls("/a\nhttp://a.example:81/b\nb.example"),
            [
                "http://a.example:81/a",
                "http://a.example:81/b",
                "https://b.example"
            ]
        );
        let many = |number: usize| super::urls(&"/a\n".repeat(number));
        assert_eq!(many(MAX_URLS).unwrap().1.len(), MAX_URLS - 1);
        assert!(
            many(MAX_URLS + 1)
                .unwrap_err()
                .text
                .contains("Up to 50 URLs")
        );
    }

    #[test]
    fn the_fields_show_which_form_was_sent() {
        assert!(matches!(ask("robots="), Ok(Some(Question::Text(_)))));
        let text = ask("robots=a&html=%3Cp%3E&headers=X-Robots-Tag:+noindex").unwrap();
        let Some(Question::Text(PastedText {
            page: PageEvidence::Known(page),
            ..
        })) = text
        else {
            panic!("{text:?}");
        };
        assert!(page.is_html && page.status.is_none() && page.headers.len() == 1);
        assert_eq!((page.has_body, page.charset()), (true, Some("utf-8")));
        let text =
            ask("robots=a%0D%0Ab%0Dc%0A&html=+%0D%0A&headers=X-Robots-Tag:+noindex").unwrap();
        let Some(Question::Text(PastedText {
            robots,
            page: PageEvidence::Known(page),
            ..
        })) = text
        else {
            panic!("{text:?}");
        };
        assert_eq!(robots, b"a\nb\nc\n");
        assert_eq!((page.has_body, page.charset()), (false, None));
        let old = |encoded: &str| match ask(encoded) {
            Ok(Some(Question::Comparison { old, .. })) => old,
            other => panic!("{other:?}"),
        };
        assert!(matches!(old("old=a&new="), OldVersion::Text(text) if text == b"a"));
        assert!(matches!(
            old("site=a.example&old=&new=b"),
            OldVersion::Site(_)
        ));
        assert_eq!(ask("site=a.example&old=a&new=b").unwrap_err().field, "site");
    }
}
