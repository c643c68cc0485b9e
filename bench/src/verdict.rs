//! Verdicts, from the text of a URL to the answer.

use crate::alloc::counted;
use crate::corpus::{AGENT, File, Numbers, UNLIMITED, documentation};
use crate::measure::{Runner, mean, measure, median, print_figures, print_ours, print_times};
use robots_txt::{Dialect, RobotsTxt, Rules, Target};
use robotstxt::DefaultMatcher;
use std::borrow::Cow;
use std::hint::black_box;
use texting_robots::Robot;

/// The maximum number of URLs of a file that are made from its own patterns.
const OWN_URLS: usize = 8;

/// The number of passes over the URLs of one file in a run, so that the resolution of the clock does not matter.
const PASSES: usize = 64;

/// The number of URLs for a file with many rules.
const MANY_URLS: usize = 1_000;

/// The number of rules of the generated documentation site: that of docs.oracle.com when it was measured.
const DOCUMENTATION_RULES: usize = 31_847;

/// A parsed file, and the URLs for its verdicts.
struct Asked<'f> {
    rules: Rules,
    peer: Robot,
    text: Cow<'f, str>,
    urls: Vec<String>,
}

pub fn bench(files: &[File]) {
    let asked: Vec<Asked<'_>> = files.iter().filter_map(ask).collect();
    let differ = asked
        .iter()
        .map(|asked| differences(&asked.rules, &asked.peer, &asked.urls))
        .sum();
    let count = asked.iter().map(|asked| asked.urls.len()).sum();
    print_differences("the corpus", differ, count);

    each_file(&asked);
    every_file_in_turn(&asked, count);
    allocations(&asked);

    // Ties are broken by the order of the corpus: the same file in every run.
    let most = files.iter().max_by_key(|file| {
        let robots = RobotsTxt::parse(&file.body);
        robots.rules(AGENT, &UNLIMITED).iter().len()
    });
    if let Some(File { url, body, .. }) = most {
        many_rules("the corpus' file of most rules", origin(url), body, "");
    }
    many_rules(
        "a generated documentation site",
        "https://docs.example.com",
        &documentation(DOCUMENTATION_RULES),
        "150 x, under 600 ns",
    );
}

/// Prepares a file. Returns `None` if texting_robots rejects it.
fn ask(file: &File) -> Option<Asked<'_>> {
    let rules = RobotsTxt::parse(&file.body).rules(AGENT, &Dialect::RFC9309);
    Some(Asked {
        urls: questions(origin(&file.url), &rules),
        rules,
        peer: Robot::new(AGENT, &file.body).ok()?,
        text: String::from_utf8_lossy(&file.body),
    })
}

fn origin(robots_url: &str) -> &str {
    robots_url.trim_end_matches("/robots.txt")
}

/// Returns URLs for a file: some that any site may have, and some made from its own patterns.
fn questions(origin: &str, rules: &Rules) -> Vec<String> {
    let plain = [
        "/",
        "/no/such/page.html",
        "/products/42?colour=blue&page=2",
        "/2026/11/about-us",
    ];
    let own = rules
        .iter()
        .take(OWN_URLS)
        .filter_map(|rule| path_of(rule.text()));
    plain
        .into_iter()
        .map(str::to_owned)
        .chain(own)
        .map(|path| format!("{origin}{path}"))
        .collect()
}

/// Returns a path that a pattern matches, if the pattern is like a path.
fn path_of(pattern: &[u8]) -> Option<String> {
    let path = String::from_utf8_lossy(pattern)
        .replace('*', "x")
        .replace('$', "");
    let is_path = path.starts_with('/') && !path.contains(char::is_whitespace);
    is_path.then_some(path)
}

/// Returns the number of URLs on which the peer's answer differs from ours.
fn differences(rules: &Rules, peer: &Robot, urls: &[String]) -> usize {
    urls.iter()
        .filter(|url| rules.verdict(&Target::new(*url)).is_allowed() != peer.allowed(url))
        .count()
}

fn print_differences(of: &str, differ: usize, count: usize) {
    eprintln!(
        "{of}: texting_robots differs from Dialect::RFC9309 on {differ} of {count} questions"
    );
}

/// Measures each file on its own, with its rules in the cache.
fn each_file(asked: &[Asked<'_>]) {
    let mut ours = Vec::with_capacity(asked.len());
    let mut texting = Vec::with_capacity(asked.len());
    for Asked {
        rules, peer, urls, ..
    } in asked
    {
        let count = urls.len() * PASSES;
        let times = measure([
            Runner::new(count, || {
                for _ in 0..PASSES {
                    for url in urls {
                        black_box(rules.verdict(&Target::new(url)).is_allowed());
                    }
                }
            }),
            Runner::new(count, || {
                for _ in 0..PASSES {
                    for url in urls {
                        black_box(peer.allowed(url));
                    }
                }
            }),
        ]);
        ours.push(times[0].least);
        texting.push(times[1].least);
    }
    print_figures(
        "verdict, the median of the files",
        "a URL",
        median(&mut ours),
        "texting_robots",
        median(&mut texting),
        "",
    );
    print_figures(
        "verdict, the mean of the files",
        "a URL",
        mean(&ours),
        "texting_robots",
        mean(&texting),
        "",
    );
}

/// Measures one pass over all files, each of which must be loaded into the cache.
fn every_file_in_turn(asked: &[Asked<'_>], count: usize) {
    let [ours, texting, robotstxt] = measure([
        Runner::new(count, || {
            for Asked { rules, urls, .. } in asked {
                for url in urls {
                    black_box(rules.verdict(&Target::new(url)).is_allowed());
                }
            }
        }),
        Runner::new(count, || {
            for Asked { peer, urls, .. } in asked {
                for url in urls {
                    black_box(peer.allowed(url));
                }
            }
        }),
        // It reads the file for every question: two are enough.
        Runner::new(asked.len() * 2, || {
            for Asked { text, urls, .. } in asked {
                for url in urls.iter().take(2) {
                    let mut matcher = DefaultMatcher::default();
                    black_box(matcher.one_agent_allowed_by_robots(text, AGENT, url));
                }
            }
        }),
    ]);
    let row = "verdict, every file in turn";
    print_times(row, "a URL", ours, "texting_robots", texting, "");
    print_times(row, "a URL", ours, "robotstxt, with parsing", robotstxt, "");
}

/// Counts the allocations of our verdicts on plain URLs.
fn allocations(asked: &[Asked<'_>]) {
    let plain: Vec<(&Rules, &str)> = asked
        .iter()
        .flat_map(|asked| {
            let urls = asked.urls.iter().map(String::as_str);
            urls.filter(|url| is_plain(url))
                .map(move |url| (&asked.rules, url))
        })
        .collect();
    let ((), count) = counted(|| {
        for (rules, url) in &plain {
            black_box(rules.verdict(&Target::new(*url)).is_allowed());
        }
    });
    print_ours(
        "verdict, allocations, plain URLs",
        format!("{} for {} URLs", count.calls, plain.len()),
        "0",
    );
}

/// Returns whether a URL needs no normalisation: it has only unreserved characters and `/:?&=`.
fn is_plain(url: &str) -> bool {
    url.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"-._~/:?&=".contains(&byte))
}

/// Measures many URLs of a file with many rules; half of the URLs match a rule.
fn many_rules(of: &str, origin: &str, body: &[u8], target: &str) {
    let rules = RobotsTxt::parse(body).rules(AGENT, &UNLIMITED);
    let Ok(peer) = Robot::new(AGENT, body) else {
        eprintln!("{of}: invalid, says texting_robots");
        return;
    };
    let urls = near_rules(origin, &rules);
    print_differences(of, differences(&rules, &peer, &urls), urls.len());
    let matched = urls
        .iter()
        .filter(|url| rules.verdict(&Target::new(*url)).line().is_some())
        .count();
    let [ours, texting] = measure([
        Runner::new(urls.len(), || {
            for url in &urls {
                black_box(rules.verdict(&Target::new(url)).is_allowed());
            }
        }),
        Runner::new(urls.len(), || {
            for url in &urls {
                black_box(peer.allowed(url));
            }
        }),
    ]);
    let row = format!(
        "verdict, {of}: {} rules, {} bytes, {matched} of {} URLs matched",
        rules.iter().len(),
        body.len(),
        urls.len()
    );
    print_times(&row, "a URL", ours, "texting_robots", texting, target);
}

/// Returns URLs that match a rule, and as many that differ from a rule in its last byte.
fn near_rules(origin: &str, rules: &Rules) -> Vec<String> {
    let paths: Vec<String> = rules
        .iter()
        .filter_map(|rule| path_of(rule.text()))
        .filter(|path| path.len() > 2)
        .collect();
    if paths.is_empty() {
        return Vec::new();
    }
    let mut numbers = Numbers::new(1_000);
    (0..MANY_URLS)
        .map(|n| {
            let mut path = paths[numbers.below(paths.len())].clone();
            if n % 2 == 1 {
                path.pop();
                path.push('~');
            }
            format!("{origin}{path}page{n}.html")
        })
        .collect()
}
