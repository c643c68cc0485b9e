//! `Dialect::WWW_ROBOT_RULES` and `RobotRules` against the Perl module, on generated files whose rules
//! resemble URLs.
//!
//! Needs `perl` with `WWW::RobotRules` (Debian: libwww-robotrules-perl) and URI 5.11 or later:
//! `cargo test -p robots-tests --test together www_robot_rules -- --ignored`. `ROBOTS_SEED` is another seed,
//! `ROBOTS_CASES` another number of questions.

use robots_policy::RobotRules;
use robots_policy::robot_rules::Allowed;
use robots_txt::{Dialect, RobotsTxt, Target};
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// Each line of the input is a robot, the URL of a robots.txt, its body and some URLs, in
/// hexadecimal. Each line of the output has an answer for each URL.
const SCRIPT: &str = r#"
    while (<STDIN>) {
        chomp;
        my ($agent, $own, $body, @urls) = map { pack("H*", $_) } split(/ /, $_, -1);
        my $rules = WWW::RobotRules->new($agent);
        $rules->parse($own, $body);
        print join(" ", map { $rules->allowed($_) } @urls), "\n";
    }
"#;

const FILES: [&str; 5] = [
    "http://a.example/robots.txt",
    "https://a.example/robots.txt",
    "http://a.example:8080/robots.txt",
    "http://a.example/b/robots.txt",
    "http://a.example/r?x=y",
];

const STARTS: [&str; 27] = [
    "", "", "/", "/", "//", "///", "http:", "https:", "HTTP:", "http:/", "http://", "http://",
    "https://", "https://", "http:///", "ftp://", "mailto:", "foo:", "foo://", "1a:", "*:", ":",
    "?", "./", "../", "<URL:", "\"",
];

const HOSTS: [&str; 14] = [
    "",
    "",
    "",
    "a.example",
    "a.example",
    "A.example",
    "b.example",
    "a.example:80",
    "a.example:443",
    "a.example:8080",
    "a.example:",
    "u:p@a.example",
    "%61.example",
    "[::1]",
];

const PARTS: [&str; 26] = [
    "/", "/", "/", "/", "a", "b", ".", "..", "./", "../", "a/", "?", "?x", "[x]", "%41", "%5B",
    "%5Bx%5D", " ", "é", ":", ";", "=y", "@", "*", "$", "|",
];

const ENDS: [&str; 6] = ["", "", "", "", ">", "\""];

/// A generator of numbers (`SplitMix64`).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % end as u64).unwrap()
    }

    fn pick(&mut self, from: &[&'static str]) -> &'static str {
        from[self.below(from.len())]
    }

    fn path(&mut self) -> String {
        (0..self.below(6)).map(|_| self.pick(&PARTS)).collect()
    }

    fn rule(&mut self) -> String {
        match self.below(12) {
            0 => String::new(),
            1..4 => format!("/{}", self.path()),
            4..6 => self.path(),
            _ => {
                let (start, host) = (self.pick(&STARTS), self.pick(&HOSTS));
                format!("{start}{host}{}{}", self.path(), self.pick(&ENDS))
            }
        }
    }
}

/// A file, and URLs of its site.
struct Case {
    own: &'static str,
    body: String,
    urls: Vec<String>,
}

fn case(numbers: &mut Numbers) -> Case {
    let own = numbers.pick(&FILES);
    let rules: Vec<String> = (0..=numbers.below(4)).map(|_| numbers.rule()).collect();
    let body = rules
        .iter()
        .fold("User-agent: *\n".to_owned(), |body, rule| {
            body + "Disallow: " + rule + "\n"
        });
    let robots = RobotsTxt::parse(&body).with_url(own);
    let compiled = robots.rules("a", &Dialect::WWW_ROBOT_RULES);
    let patterns: Vec<String> = compiled
        .iter()
        .map(|rule| String::from_utf8_lossy(rule.pattern()).into_owned())
        .collect();
    let origin = &own[..own.rfind("example").unwrap() + "example".len()];
    let port = if own.contains(":8080") { ":8080" } else { "" };
    let mut urls = Vec::new();
    for _ in 0..8 {
        let mut path = match numbers.below(4) {
            0 if !patterns.is_empty() => patterns[numbers.below(patterns.len())].clone(),
            // A rule without its authority, and as it is.
            1 => rules[numbers.below(rules.len())]
                .rsplit_once("example")
                .map_or("", |(_, path)| path)
                .to_owned(),
            2 => rules[numbers.below(rules.len())].clone(),
            _ => numbers.path(),
        };
        match numbers.below(4) {
            0 => path.push_str(numbers.pick(&PARTS)),
            1 => {
                path.pop();
            }
            _ => {}
        }
        // A URL without a path has the path `/` (docs/semantics.md, section 8.3), but not in Perl.
        let slash = if path.starts_with('/') { "" } else { "/" };
        let path = path.trim();
        urls.push(format!("{origin}{port}{slash}{path}"));
    }
    Case { own, body, urls }
}

fn answers_of_perl(cases: &[Case]) -> Vec<Vec<i8>> {
    let hex = |text: &str| {
        text.bytes().fold(String::new(), |mut hex, byte| {
            write!(hex, "{byte:02x}").unwrap();
            hex
        })
    };
    let mut perl = Command::new("perl")
        .args(["-MWWW::RobotRules", "-e", SCRIPT])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("perl is installed");
    let mut input = perl.stdin.take().unwrap();
    let lines: String = cases
        .iter()
        .map(|case| {
            let texts = [case.own, &case.body];
            let texts = texts
                .into_iter()
                .chain(case.urls.iter().map(String::as_str));
            texts.fold(hex("a"), |line, text| line + " " + &hex(text)) + "\n"
        })
        .collect();
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = perl.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success(), "WWW::RobotRules is installed");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .map(|line| {
            line.split(' ')
                .map(|answer| answer.parse().unwrap())
                .collect()
        })
        .collect()
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

#[test]
#[ignore = "needs perl with WWW::RobotRules"]
fn every_answer_is_that_of_the_perl_module() {
    let questions = usize::try_from(number("ROBOTS_CASES", 100_000)).unwrap();
    let mut numbers = Numbers(number("ROBOTS_SEED", 1));
    let cases: Vec<Case> = (0..questions.div_ceil(8))
        .map(|_| case(&mut numbers))
        .collect();
    let answers = answers_of_perl(&cases);
    assert_eq!(answers.len(), cases.len());
    let (mut asked, mut denied, mut differences) = (0_usize, 0_usize, Vec::new());
    for (case, answers) in cases.iter().zip(&answers) {
        let dialect = &Dialect::WWW_ROBOT_RULES;
        let robots = RobotsTxt::parse(&case.body).with_url(case.own);
        let rules = robots.rules("a", dialect);
        let mut sites = RobotRules::new("a");
        sites.parse(case.own, case.body.as_bytes(), None).unwrap();
        assert_eq!(answers.len(), case.urls.len());
        for (url, &perl) in case.urls.iter().zip(answers) {
            let ours = [
                rules.verdict(&Target::new(url)).is_allowed(),
                robots_reference::verdict(&robots, "a", dialect, url).is_allowed,
                sites.allowed(url) == Allowed::Yes,
            ];
            if ours != [perl == 1; 3] {
                differences.push(format!("{url}: {ours:?}, Perl {perl}: {:?}", case.body));
            }
            asked += 1;
            denied += usize::from(perl == 0);
        }
    }
    println!(
        "{asked} questions, {denied} disallowed, {} differences",
        differences.len()
    );
    let first = differences.len().min(20);
    assert!(differences.is_empty(), "{:#?}", &differences[..first]);
    assert!(denied * 5 > asked, "few rules match");
}
