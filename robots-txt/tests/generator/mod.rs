//! Generates files and URLs that resemble real ones, from a seed: shared prefixes, many stars, `$`,
//! percent forms, characters beyond ASCII, ties, groups of every kind, and broken lines.

use robots_txt::Agent;

/// A generator of files, robots and URLs. Its pseudo-random numbers (`SplitMix64`) depend only on the seed.
pub(crate) struct FileGenerator {
    state: u64,
}

/// A file and the patterns in it.
pub(crate) struct File {
    /// The bytes.
    pub(crate) body: Vec<u8>,
    /// The values of its rules.
    pub(crate) patterns: Vec<String>,
}

const SEGMENTS: [&str; 16] = [
    "a",
    "b",
    "ab",
    "search",
    "shop",
    "index.html",
    "index.htm",
    "p.php",
    "~fred",
    "%7Efred",
    "%7efred",
    "é",
    "%C3%A9",
    "%c3%a9",
    "a%2Fb",
    "x.jpg",
];

/// References that are not paths from the root.
const REFERENCES: [&str; 20] = [
    "./a",
    "a/./b",
    "a/../b",
    "a/../../b",
    "b/..",
    ".",
    "?q=a",
    "mailto:a",
    "https:a",
    "http://example.com/a",
    "HTTPS://EXAMPLE.com:443/a",
    "https://example.com?q=a",
    "https://other.example/a",
    "//example.com/a",
    "//example.com",
    "//a@example.com:443/ab",
    "<URL:https://example.com/b>",
    "\"\"",
    "1a:b/ab",
    "*:?q=a",
];

/// The values of `User-agent` lines.
const GROUP_NAMES: [&str; 13] = [
    "*",
    "*",
    "*",
    "*",
    "Googlebot",
    "googlebot/2.1",
    "Googlebot-News",
    "bingbot",
    "msnbot",
    "bot",
    "ExampleBot",
    "* everyone",
    "a, ExampleBot",
];

/// The robots whose verdicts the tests compare.
const ROBOTS: [&str; 6] = [
    "Googlebot",
    "Googlebot-News",
    "bingbot",
    "ExampleBot",
    "Other",
    "AdsBot-Google",
];

impl FileGenerator {
    /// Creates a generator from a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next() % end).unwrap_or_default()
    }

    /// Returns true once in `number` calls on average.
    pub(crate) fn one_in(&mut self, number: usize) -> bool {
        self.below(number) == 0
    }

    fn pick<'x>(&mut self, from: &[&'x str]) -> &'x str {
        let at = self.below(from.len());
        from.get(at).copied().unwrap_or_default()
    }

    /// Returns a robot; one in three with all the names that its vendor documents.
    pub(crate) fn agent(&mut self) -> Agent<'static> {
        let name = self.pick(&ROBOTS);
        if self.one_in(3) {
            Agent::known(name)
        } else {
            Agent::new(name)
        }
    }

    /// Returns a path of one to three segments, which other paths often have too.
    fn path(&mut self) -> String {
        let mut path = String::new();
        for _ in 0..=self.below(3) {
            path.push('/');
            path.push_str(self.pick(&SEGMENTS));
        }
        if self.one_in(3) {
            path.push('/');
        }
        if self.one_in(5) {
            path.push_str(self.pick(&["?q=a", "?q=a&r=b:c/d", "?", ";x", "?x=%20"]));
        }
        path
    }

    /// Returns the value of a rule.
    fn pattern(&mut self) -> String {
        let mut pattern = match self.below(17) {
            0 => String::new(),
            1 => "/".into(),
            2 => self.path().trim_start_matches('/').to_owned(),
            3 => format!("*{}", self.path()),
            4 => format!("https://example.com{}", self.path()),
            5 => format!("/{}", self.path()),
            6 => format!("https://example.com/{}", self.path()),
            7 => self.pick(&REFERENCES).to_owned(),
            _ => self.path(),
        };
        // Three patterns in eight get up to three special texts.
        for _ in 0..self.below(8).saturating_sub(4) {
            let at = self.below(pattern.len() + 1);
            if pattern.is_char_boundary(at) {
                let special = self.pick(&["*", "*", "*", "**", "$", "?", "[a-c]", "%", "%2A"]);
                pattern.insert_str(at, special);
            }
        }
        if self.one_in(6) {
            pattern.push('*');
        }
        if self.one_in(6) {
            pattern.push('$');
        }
        pattern
    }

    fn line_end(&mut self) -> &'static str {
        match self.below(64) {
            0 => "\r",
            1 => "\n\n",
            2..8 => "\r\n",
            _ => "\n",
        }
    }

    /// Returns a file. Few have many rules; some have hundreds with a long prefix in common.
    pub(crate) fn file(&mut self) -> File {
        let mut body = String::new();
        let mut patterns = Vec::new();
        if self.one_in(32) {
            body.push('\u{feff}');
        }
        let groups = self.below(5);
        // Rules before the first group.
        if self.one_in(16) {
            self.rules(&mut body, &mut patterns, 2);
        }
        for _ in 0..=groups {
            // One group in three has two names, the others have one.
            for _ in 0..=self.below(12) / 8 {
                if self.one_in(6) {
                    // A line before or between the names of a group.
                    body.push_str(self.pick(&[
                        "Crawl-delay: 1\n",
                        "Robot-version: 2.0\n",
                        "X-Unknown: 1\n",
                        "Sitemap: /s\n",
                    ]));
                }
                body.push_str(self.pick(&["User-agent: ", "user-agent:", "User-Agent : "]));
                body.push_str(self.pick(&GROUP_NAMES));
                body.push_str(self.line_end());
            }
            if self.one_in(6) {
                body.push_str(self.pick(&["Robot-version: 2.0\n", "Robot-version: 1.0\n"]));
            }
            let count = match self.below(24) {
                0 => 60 + self.below(100),
                1..4 => 17 + self.below(20),
                _ => self.below(9),
            };
            self.rules(&mut body, &mut patterns, count);
            if self.one_in(2) {
                body.push('\n');
            }
        }
        let mut body = body.into_bytes();
        // One file in six gets one or two bytes anywhere.
        for _ in 0..self.below(12).saturating_sub(9) {
            let at = self.below(body.len());
            let byte = *b"\0\n\r*$%#:\xFF/".get(self.below(10)).unwrap_or(&0);
            body.insert(at, byte);
        }
        File { body, patterns }
    }

    /// Writes `count` rules to `body`, and their values to `patterns`.
    fn rules(&mut self, body: &mut String, patterns: &mut Vec<String>, count: usize) {
        // Many rules have a prefix in common, as on large sites.
        let common = if count > 16 {
            self.path()
        } else {
            String::new()
        };
        for _ in 0..count {
            let mut pattern = self.pattern();
            if self.one_in(3) && !common.is_empty() {
                pattern.insert_str(0, &common);
            }
            if self.one_in(8) && !patterns.is_empty() {
                // The same pattern again, or a little longer.
                let at = self.below(patterns.len());
                pattern = patterns.get(at).cloned().unwrap_or_default();
                if self.one_in(2) {
                    pattern.push_str(self.pick(&["a", "/", "*", "$"]));
                }
            }
            body.push_str(self.pick(&[
                "Disallow: ",
                "Disallow:",
                "Disallow: ",
                "Allow: ",
                "allow : ",
                "Dissalow: ",
                "Disallow ",
                "DisallowAITraining: ",
            ]));
            body.push_str(&pattern);
            if self.one_in(20) {
                body.push_str(" # why");
            }
            body.push_str(self.line_end());
            if self.one_in(30) {
                body.push_str(self.pick(&[
                    "# note\n",
                    "\n",
                    "Sitemap: https://example.com/s.xml\n",
                    "Crawl-delay: 2\n",
                    "what is this\n",
                    " \t\n",
                ]));
            }
            patterns.push(pattern);
        }
    }

    /// Returns a URL. Most are derived from a pattern of the file, so that rules match or nearly match.
    pub(crate) fn url(&mut self, file: &File) -> String {
        let mut path = if self.one_in(4) || file.patterns.is_empty() {
            self.path()
        } else {
            let at = self.below(file.patterns.len());
            file.patterns.get(at).cloned().unwrap_or_default()
        };
        if let Some(rest) = path.strip_prefix("https://example.com") {
            path = rest.to_owned();
        }
        let mut url = String::new();
        for character in path.chars() {
            match character {
                '*' => url.push_str(self.pick(&["", "a", "/ab/", "x.jpg", "*"])),
                '$' if !self.one_in(4) => {}
                '[' if self.one_in(2) => url.push('b'),
                character if character.is_ascii() && self.one_in(24) => {
                    url.extend(format!("%{:02x}", u32::from(character)).chars());
                }
                character => url.push(character),
            }
        }
        if !url.starts_with('/') {
            url.insert(0, '/');
        }
        match self.below(32) {
            0..4 => url.push_str(self.pick(&SEGMENTS)),
            4..6 => {
                url.pop();
            }
            6 => url.push_str("#top"),
            7 => url = "/robots.txt".into(),
            8 => url.push_str(self.pick(&["\0", "\0b", "\0?q=a"])),
            _ => {}
        }
        if self.one_in(3) {
            url.insert_str(0, "https://example.com");
        }
        url
    }
}
