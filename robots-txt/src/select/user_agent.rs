//! The robot's name in a full `User-Agent` value.
//!
//! A value has products (`Name/version`) and comments in parentheses (RFC 9110, 10.1.5). Most
//! robots name themselves in one of a few places. The search is linear in the value.

use crate::select::agent::Agent;
use crate::select::product_token::ProductToken;

impl Agent<'static> {
    /// Finds the robot in a full `User-Agent` value; `None` if the value names only a browser, or
    /// nothing that can be a robot's name.
    ///
    /// The names are tried in this order, without the names of browsers and platforms (`Mozilla`,
    /// `AppleWebKit`, `Chrome`, `Safari`, `Version`, ...):
    ///
    /// 1. in a comment with the word `compatible`: the part that follows it, or a later
    ///    `Name/version`: `Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com)`;
    /// 2. outside comments: `ExampleBot/1.0 (+https://example.com)`, `Sogou web spider/4.0`;
    /// 3. in any comment: a `Name/version` of one word: `... Safari/605.1.15 (Applebot/0.1)`.
    ///
    /// The version is left out. The name is as the value has it. A robot whose groups have another name
    /// needs [`new`](Self::new): Yahoo's is `Slurp`, but its value has `Yahoo! Slurp`.
    ///
    /// ```
    /// use robots_txt::Agent;
    ///
    /// let value = "Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com/bot)";
    /// assert_eq!(Agent::from_user_agent(value).unwrap().name(), "ExampleBot");
    /// ```
    pub fn from_user_agent(value: &str) -> Option<Self> {
        let mut products = Vec::new();
        let mut comments = Vec::new();
        split(value, &mut products, &mut comments);
        comments
            .iter()
            .find_map(|comment| after_compatible(comment))
            .or_else(|| products.iter().find_map(|product| in_product(product)))
            .or_else(|| comments.iter().find_map(|comment| in_comment(comment)))
            .map(Self::new)
    }
}

/// Names of browsers, their engines and platforms, which do not name a robot.
const BROWSERS: &[&str] = &[
    "Mozilla",
    "AppleWebKit",
    "WebKit",
    "KHTML",
    "Gecko",
    "like",
    "Version",
    "Mobile",
    "Chrome",
    "HeadlessChrome",
    "Chromium",
    "CriOS",
    "Safari",
    "Firefox",
    "FxiOS",
    "Edge",
    "Edg",
    "EdgA",
    "EdgiOS",
    "Opera",
    "OPR",
    "Presto",
    "MSIE",
    "Trident",
    "Netscape",
    "Konqueror",
    "Vivaldi",
    "SamsungBrowser",
    "YaBrowser",
    "compatible",
    "Windows",
    "Macintosh",
    "Linux",
    "Android",
    "X11",
    "iPhone",
    "iPad",
    "Ubuntu",
    "Build",
];

/// Splits a value into the texts between comments and the comments themselves. A comment within
/// another is part of it. A comment that is not closed ends with the value.
fn split<'v>(value: &'v str, products: &mut Vec<&'v str>, comments: &mut Vec<&'v str>) {
    let mut depth = 0_usize;
    // The start of the current text or comment.
    let mut start = 0;
    for (at, byte) in value.bytes().enumerate() {
        let text = || &value[start..at];
        match byte {
            b'(' => {
                if depth == 0 {
                    products.push(text());
                    start = at + 1;
                }
                depth += 1;
            }
            b')' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    comments.push(text());
                    start = at + 1;
                }
            }
            _ => {}
        }
    }
    let last = &value[start..];
    if depth > 0 {
        comments.push(last);
    } else {
        products.push(last);
    }
}

/// Returns the name after `compatible` in a comment.
fn after_compatible(comment: &str) -> Option<String> {
    let mut parts = parts(comment).skip_while(|part| !part.eq_ignore_ascii_case("compatible"));
    parts.next()?;
    parts.enumerate().find_map(|(index, part)| {
        let part = before_url(part);
        // `Linux x86_64`: what follows the name of a platform is not a robot's.
        let is_platform = part.split_ascii_whitespace().next().is_some_and(is_browser);
        if (is_platform || index > 0) && !part.contains('/') {
            return None;
        }
        robot_name(part.split('/').next()?)
    })
}

/// Returns a part of a comment without the URL that may follow its name: `ExampleBot +https://example.com`.
fn before_url(part: &str) -> &str {
    let starts = [" +", " (", " http://", " https://"];
    let end = starts.iter().filter_map(|start| part.find(start)).min();
    end.and_then(|end| part.get(..end)).unwrap_or(part)
}

/// Returns the name in a text outside comments: words up to a version or the end.
fn in_product(text: &str) -> Option<String> {
    let mut words: Vec<&str> = Vec::new();
    for word in text.split_ascii_whitespace() {
        let word = word.trim_matches([';', ',']);
        match word.split_once('/') {
            None => words.push(word),
            Some((name, _)) => {
                words.push(name);
                let name = robot_name(&words.join(" "));
                if name.is_some() {
                    return name;
                }
                words.clear();
            }
        }
    }
    robot_name(&words.join(" "))
}

/// Returns the name of one word with a version in any comment.
fn in_comment(comment: &str) -> Option<String> {
    parts(comment).find_map(|part| {
        let (name, version) = part.split_once('/')?;
        let is_version = version.starts_with(|first: char| first.is_ascii_digit() || first == 'v');
        (is_version && !name.contains(' '))
            .then(|| robot_name(name))
            .flatten()
    })
}

/// Returns the parts of a comment between semicolons and commas, without the empty ones.
fn parts(comment: &str) -> impl Iterator<Item = &str> {
    comment
        .split([';', ','])
        .map(str::trim)
        .filter(|part| !part.is_empty())
}

/// Returns whether a word names a browser, its engine or a platform.
fn is_browser(word: &str) -> bool {
    BROWSERS.iter().any(|name| name.eq_ignore_ascii_case(word))
}

/// Returns the name without the browsers' names that it begins with, if the rest is a robot's.
fn robot_name(name: &str) -> Option<String> {
    let words: Vec<&str> = name
        .split_ascii_whitespace()
        .skip_while(|word| is_browser(word))
        .collect();
    // `MSIE 8.0`: what follows a browser's name is its version.
    let is_version = |word: &&str| word.starts_with(|first: char| first.is_ascii_digit());
    if words.len() < name.split_ascii_whitespace().count() && words.first().is_some_and(is_version)
    {
        return None;
    }
    let name = words.join(" ");
    // A name that ends with a colon is the scheme of a URL.
    (ProductToken::parse(&name).is_ok() && name != "*" && !name.ends_with(':')).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn robots_are_found_where_they_name_themselves() {
        for (value, name) in [
            ("ExampleBot", "ExampleBot"),
            ("ExampleBot/1.0 (+https://example.com/bot)", "ExampleBot"),
            (
                "Mozilla/5.0 (compatible; ExampleBot/1.0; +http://example.com/)",
                "ExampleBot",
            ),
            (
                "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
                "Googlebot",
            ),
            (
                "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 \
                 (KHTML, like Gecko) Chrome/138.0.7204.183 Mobile Safari/537.36 \
                 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
                "Googlebot",
            ),
            (
                "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; \
                 +http://www.bing.com/bingbot.htm) Chrome/116.0.1938.76 Safari/537.36",
                "bingbot",
            ),
            (
                "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; \
                 +https://openai.com/gptbot)",
                "GPTBot",
            ),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) \
                 Version/13.1.1 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)",
                "Applebot",
            ),
            (
                "Mozilla/5.0 (Linux; Android 7.0;) AppleWebKit/537.36 (KHTML, like Gecko) Mobile \
                 Safari/537.36 (compatible; PetalBot;+https://webmaster.petalsearch.com/site/petalbot)",
                "PetalBot",
            ),
            (
                "Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Mobile \
                 Safari/537.36 (compatible; Bytespider; spider-feedback@bytedance.com)",
                "Bytespider",
            ),
            (
                "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)",
                "YandexBot",
            ),
            (
                "Mozilla/5.0(compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)",
                "Baiduspider",
            ),
            (
                "Mozilla/5.0 (compatible; MJ12bot/v1.4.8; http://mj12bot.com/)",
                "MJ12bot",
            ),
            (
                "Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)",
                "Yahoo! Slurp",
            ),
            (
                "Sogou web spider/4.0(+http://www.sogou.com/docs/help/webmasters.htm#07)",
                "Sogou web spider",
            ),
            (
                "Screaming Frog SEO Spider/19.0",
                "Screaming Frog SEO Spider",
            ),
            (
                "DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)",
                "DuckDuckBot",
            ),
            (
                "AdsBot-Google (+http://www.google.com/adsbot.html)",
                "AdsBot-Google",
            ),
            ("CCBot/2.0 (https://commoncrawl.org/faq/)", "CCBot"),
            (
                "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
                "facebookexternalhit",
            ),
            (
                "ia_archiver (+http://www.alexa.com/site/help/webmasters; crawler@alexa.com)",
                "ia_archiver",
            ),
            ("msnbot/2.0b (+http://search.msn.com/msnbot.htm)", "msnbot"),
            ("Wget/1.21.3", "Wget"),
        ] {
            let found = Agent::from_user_agent(value);
            assert_eq!(found.as_ref().map(Agent::name), Some(name), "{value}");
        }
    }

    #[test]
    fn platforms_and_urls_are_no_part_of_a_name() {
        for (comment, name) in [
            (
                "Linux x86_64; Mail.RU_Bot/2.0; +http://go.mail.ru/help/robots",
                "Mail.RU_Bot",
            ),
            ("Linux ExampleBot/2.0", "ExampleBot"),
            ("ExampleBot +https://example.com/bot", "ExampleBot"),
            ("ExampleBot (+https://example.com/bot)", "ExampleBot"),
            ("ExampleBot https://example.com/bot", "ExampleBot"),
            ("ExampleBot/2.0 +https://example.com/bot", "ExampleBot"),
        ] {
            let found = Agent::from_user_agent(&format!("Mozilla/5.0 (compatible; {comment})"));
            assert_eq!(found.as_ref().map(Agent::name), Some(name), "{comment}");
        }
    }

    #[test]
    fn browsers_are_not_robots() {
        for value in [
            "",
            "*",
            "Mozilla/5.0",
            "Mozilla/5.0 (X11; Linux x86_64; rv:109.0) Gecko/20100101 Firefox/115.0",
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) \
             Chrome/120.0.0.0 Safari/537.36 Edg/120.0.0.0",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_2 like Mac OS X) AppleWebKit/605.1.15 \
             (KHTML, like Gecko) Version/17.2 Mobile/15E148 Safari/604.1",
            "Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1; Trident/4.0; SLCC2; .NET CLR 2.0.50727)",
            "Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko",
            "Opera/9.80 (Windows NT 6.1; U; en) Presto/2.8.131 Version/11.11",
            "Mozilla/5.0 (compatible; Linux x86_64)",
            "Mozilla/5.0 (compatible; +https://example.com/bot)",
            "(((",
            ")))",
            "https://example.com/",
        ] {
            assert_eq!(Agent::from_user_agent(value), None, "{value}");
        }
    }
}
