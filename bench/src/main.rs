//! Our figures beside those of others, from one run. See README.md in this folder.

use html5ever::tendril::TendrilSink;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::RcDom;
use robots_cli::archive::{Item, Reader};
use robots_cli::http::Response;
use robots_meta::HeadReader;
use robots_txt::{Dialect, RobotsTxt, Target};
use robotstxt::DefaultMatcher;
use std::collections::hash_map::DefaultHasher;
use std::fs::File;
use std::hash::{Hash, Hasher};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use texting_robots::Robot;

/// How often everything is measured, in turns.
const ROUNDS: usize = 5;

/// The robot that is asked for.
const AGENT: &str = "Googlebot";

fn main() {
    let Some(corpus) = corpus() else {
        println!("skipped: no corpus (set ROBOTS_CORPUS to the folder that has it)");
        return;
    };
    let files = bodies(&corpus.join("robots.warc.gz"), |_| true);
    let pages = bodies(&corpus.join("crawl.warc.gz"), |response| {
        response.status() == 200 && response.is_html()
    });
    let bytes: usize = files.iter().map(|(_, body)| body.len()).sum();
    let mut hasher = DefaultHasher::new();
    files.hash(&mut hasher);
    pages.hash(&mut hasher);
    println!(
        "input {:016x}: {} robots.txt files, {bytes} bytes; {} pages, {} bytes\n",
        hasher.finish(),
        files.len(),
        pages.len(),
        pages.iter().map(|(_, body)| body.len()).sum::<usize>()
    );
    println!("| row | ours | peer | time | ratio to ours |");
    println!("| --- | --- | --- | --- | --- |");
    bench_parse(&files);
    bench_verdict(&files);
    bench_head(&pages);
}

fn corpus() -> Option<PathBuf> {
    let folder = match std::env::var_os("ROBOTS_CORPUS") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
    };
    let corpus = folder.join("corpus");
    corpus.is_dir().then_some(corpus)
}

/// URL and body of every response of an archive that is wanted.
fn bodies(path: &Path, wanted: impl Fn(&Response) -> bool) -> Vec<(String, Vec<u8>)> {
    let file = File::open(path).expect("the corpus is readable");
    let mut reader = Reader::open(file)
        .expect("the corpus is readable")
        .expect("the corpus has archives");
    let mut found = Vec::new();
    while let Some(item) = reader.next_item().expect("the corpus is readable") {
        let Item::Record(record) = item else {
            continue;
        };
        if let (Some(url), Ok(response)) = (record.url, Response::parse(&record.block))
            && wanted(&response)
        {
            found.push((url, response.body().to_vec()));
        }
    }
    found
}

/// A name, how many times the work is done in one run, and the run.
type Measured<'a> = (&'a str, usize, Box<dyn FnMut() + 'a>);

/// Measures each in turns; prints the least time of each, the first being ours.
fn measure(row: &str, unit: &str, mut each: Vec<Measured<'_>>) {
    let mut least = vec![Duration::MAX; each.len()];
    for _ in 0..ROUNDS {
        for (least, (_, _, run)) in least.iter_mut().zip(&mut each) {
            let start = Instant::now();
            run();
            *least = start.elapsed().min(*least);
        }
    }
    let per: Vec<f64> = least
        .iter()
        .zip(&each)
        .map(|(time, (_, count, _))| time.as_nanos() as f64 / *count as f64)
        .collect();
    for (time, (name, _, _)) in per.iter().zip(&each).skip(1) {
        let ours = per[0];
        println!(
            "| {row} | {ours:.0} ns {unit} | {name} | {time:.0} ns {unit} | {:.2} |",
            time / ours
        );
    }
}

fn bench_parse(files: &[(String, Vec<u8>)]) {
    measure(
        "parse",
        "a file",
        vec![
            (
                "",
                files.len(),
                Box::new(|| {
                    for (_, body) in files {
                        black_box(RobotsTxt::parse(body));
                    }
                }),
            ),
            (
                "texting_robots, one agent",
                files.len(),
                Box::new(|| {
                    for (_, body) in files {
                        let _ = black_box(Robot::new(AGENT, body));
                    }
                }),
            ),
        ],
    );
    measure(
        "parse and rules of one agent",
        "a file",
        vec![
            (
                "",
                files.len(),
                Box::new(|| {
                    for (_, body) in files {
                        let robots = RobotsTxt::parse(body);
                        black_box(robots.rules(AGENT, &Dialect::RFC9309));
                    }
                }),
            ),
            (
                "texting_robots, one agent",
                files.len(),
                Box::new(|| {
                    for (_, body) in files {
                        let _ = black_box(Robot::new(AGENT, body));
                    }
                }),
            ),
        ],
    );
}

/// URLs for a file, made from its own patterns.
fn questions(robots_url: &str, robots: &RobotsTxt) -> Vec<String> {
    let origin = robots_url.trim_end_matches("/robots.txt");
    let mut urls = vec![format!("{origin}/"), format!("{origin}/no/such/page.html")];
    for rule in robots.rules(AGENT, &Dialect::RFC9309).iter().take(8) {
        let path = String::from_utf8_lossy(rule.text())
            .replace('*', "x")
            .replace('$', "");
        if path.starts_with('/') && !path.contains(char::is_whitespace) {
            urls.push(format!("{origin}{path}"));
        }
    }
    urls
}

fn bench_verdict(files: &[(String, Vec<u8>)]) {
    let mut asked = Vec::new();
    let mut differ = 0_usize;
    let mut count = 0_usize;
    for (url, body) in files {
        let robots = RobotsTxt::parse(body);
        let rules = robots.rules(AGENT, &Dialect::RFC9309);
        let Ok(peer) = Robot::new(AGENT, body) else {
            continue;
        };
        let urls = questions(url, &robots);
        for url in &urls {
            differ +=
                usize::from(rules.verdict(&Target::new(url)).is_allowed() != peer.allowed(url));
        }
        count += urls.len();
        asked.push((rules, peer, String::from_utf8_lossy(body), urls));
    }
    eprintln!("texting_robots differs on {differ} of {count} questions");
    measure(
        "verdict",
        "a URL",
        vec![
            (
                "",
                count,
                Box::new(|| {
                    for (rules, _, _, urls) in &asked {
                        for url in urls {
                            black_box(rules.verdict(&Target::new(url)).is_allowed());
                        }
                    }
                }),
            ),
            (
                "texting_robots",
                count,
                Box::new(|| {
                    for (_, peer, _, urls) in &asked {
                        for url in urls {
                            black_box(peer.allowed(url));
                        }
                    }
                }),
            ),
            (
                "robotstxt, with parsing",
                // It reads the file for every question: two are enough.
                asked.len() * 2,
                Box::new(|| {
                    for (_, _, body, urls) in &asked {
                        for url in urls.iter().take(2) {
                            let mut matcher = DefaultMatcher::default();
                            black_box(matcher.one_agent_allowed_by_robots(body, AGENT, url));
                        }
                    }
                }),
            ),
        ],
    );
}

fn bench_head(pages: &[(String, Vec<u8>)]) {
    measure(
        "head",
        "a page",
        vec![
            (
                "",
                pages.len(),
                Box::new(|| {
                    for (_, page) in pages {
                        black_box(HeadReader::read(page));
                    }
                }),
            ),
            (
                "html5ever and markup5ever_rcdom, whole page",
                pages.len(),
                Box::new(|| {
                    for (_, page) in pages {
                        let text = String::from_utf8_lossy(page);
                        black_box(
                            parse_document(RcDom::default(), ParseOpts::default()).one(&*text),
                        );
                    }
                }),
            ),
        ],
    );
}
