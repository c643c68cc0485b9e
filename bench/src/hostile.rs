//! Files and URLs that are meant to be slow. Each is measured at two sizes, to show the growth.

use crate::corpus::{AGENT, UNLIMITED};
use crate::measure::{ROUNDS, Row};
use robots_txt::{RobotsTxt, Rules, Target};
use std::fmt::Write;
use std::hint::black_box;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};
use texting_robots::Robot;

/// The cases, and the size of each.
const CASES: [(&str, usize); 6] = [
    ("a", 500),
    ("b", 8_000),
    ("c-hit", 100_000),
    ("c-plain", 100_000),
    ("c-long", 100_000),
    ("c-long-q", 100_000),
];

/// The maximum time of preparing and the first verdict together.
const LIMIT: Duration = Duration::from_secs(10);

/// A verdict that takes this time or longer is not measured again.
const SLOW: Duration = Duration::from_millis(100);

/// The minimum time of one measurement in nanoseconds, so that the resolution of the clock does not matter.
const MEASURED_NANOS: u128 = 20_000;

const ORIGIN: &str = "https://example.com";

/// A file, a URL, and the right answer.
struct Case {
    what: String,
    body: String,
    url: String,
    is_allowed: bool,
}

impl Case {
    /// Returns `None` if there is no such case, or the size is zero.
    fn new(name: &str, size: usize) -> Option<Self> {
        if size == 0 {
            return None;
        }
        let case = match name {
            "a" => Self {
                what: format!("a: {size} x `*a`, then `*b`, on {} a", size * 16),
                body: one_rule(&format!("/{}*b", "*a".repeat(size))),
                url: format!("{ORIGIN}/{}", "a".repeat(size * 16)),
                is_allowed: true,
            },
            "b" => {
                let broken = format!("{}r", "q".repeat(size - 1));
                Self {
                    what: format!("b: `/x*` and {size} q, on q broken every {}", size - 1),
                    body: one_rule(&format!("/x*{}", "q".repeat(size))),
                    url: format!("{ORIGIN}/x{}", broken.repeat(2)),
                    is_allowed: true,
                }
            }
            "c-hit" => {
                let hit = size * 7 / 9;
                Self {
                    what: format!("c: {size} rules `/*p<i>*q`, on `/p{hit}/q`"),
                    body: many_rules(size),
                    url: format!("{ORIGIN}/p{hit}/q"),
                    is_allowed: false,
                }
            }
            "c-plain" => Self {
                what: format!("c: {size} rules `/*p<i>*q`, on a plain URL"),
                body: many_rules(size),
                // 60 bytes.
                url: format!("{ORIGIN}/products/garden/watering-can-10-l?ref=42"),
                is_allowed: true,
            },
            "c-long" | "c-long-q" => {
                let is_closed = name == "c-long-q";
                let path = parts(size, size * 8 / 100);
                let end = if is_closed { "q" } else { "" };
                let length = path.len();
                Self {
                    what: format!(
                        "c: {size} rules `/*p<i>*q`, on {length} bytes of `p<i>`, {}",
                        if is_closed { "then q" } else { "no q" }
                    ),
                    body: many_rules(size),
                    url: format!("{ORIGIN}{path}{end}"),
                    is_allowed: !is_closed,
                }
            }
            _ => return None,
        };
        Some(case)
    }
}

fn one_rule(pattern: &str) -> String {
    format!("User-agent: *\nDisallow: {pattern}\n")
}

fn many_rules(count: usize) -> String {
    let mut body = String::from("User-agent: *\n");
    for n in 0..count {
        writeln!(body, "Disallow: /*p{n}*q").expect("writing to a string cannot fail");
    }
    body
}

/// Returns a path of `length` bytes or a little more, made of the literals of rules.
fn parts(rules: usize, length: usize) -> String {
    let mut path = String::from("/");
    let mut n = 0;
    while path.len() < length {
        write!(path, "p{n}").expect("writing to a string cannot fail");
        // A prime, so that the literals of all rules occur.
        n = (n + 7_919) % rules;
    }
    path
}

/// The measurement of one case.
struct Timed {
    prepared: Duration,
    /// Nanoseconds.
    verdict: f64,
    is_right: bool,
}

/// A measurement, or the reason why there is none.
type Outcome = Result<Timed, &'static str>;

pub fn bench() {
    for (name, size) in CASES {
        let mut half: Option<(Outcome, Outcome)> = None;
        for size in [size, size * 2] {
            let case = Arc::new(Case::new(name, size).expect("the cases have names and sizes"));
            let ours = guarded(&case, our_rules, our_verdict);
            let texting = guarded(&case, texting_rules, texting_verdict);
            let (our_half, texting_half) = match &half {
                Some((ours, texting)) => (Some(ours), Some(texting)),
                None => (None, None),
            };
            let ratio = match (&ours, &texting) {
                (Ok(ours), Ok(texting)) => Some(texting.verdict / ours.verdict),
                _ => None,
            };
            Row {
                row: &format!("hostile, {}", case.what),
                ours: cell(&ours, our_half),
                peer: "texting_robots",
                theirs: cell(&texting, texting_half),
                ratio,
                target: "under 1 ms",
            }
            .print();
            half = Some((ours, texting));
        }
    }
}

/// Asks our rules for one verdict, this number of times, for `callgrind.sh`.
pub fn once(case: &str, size: &str, times: &str) -> Option<()> {
    let case = Case::new(case, size.parse().ok()?)?;
    let times: usize = times.parse().ok()?;
    let rules = our_rules(&case)?;
    for _ in 0..times {
        black_box(our_verdict(&rules, black_box(case.url.as_str())));
    }
    Some(())
}

fn our_rules(case: &Case) -> Option<Rules> {
    Some(RobotsTxt::parse(case.body.as_bytes()).rules(AGENT, &UNLIMITED))
}

fn our_verdict(rules: &Rules, url: &str) -> bool {
    rules.verdict(&Target::new(url)).is_allowed()
}

fn texting_rules(case: &Case) -> Option<Robot> {
    Robot::new(AGENT, case.body.as_bytes()).ok()
}

fn texting_verdict(robot: &Robot, url: &str) -> bool {
    robot.allowed(url)
}

/// Measures in a thread, and continues without it if it takes too long.
fn guarded<P: 'static>(
    case: &Arc<Case>,
    prepare: fn(&Case) -> Option<P>,
    ask: fn(&P, &str) -> bool,
) -> Outcome {
    let (sender, receiver) = channel();
    let case = Arc::clone(case);
    thread::spawn(move || {
        let start = Instant::now();
        let Some(rules) = prepare(&case) else {
            return;
        };
        let prepared = start.elapsed();
        let start = Instant::now();
        let answer = ask(&rules, &case.url);
        let first = start.elapsed();
        let verdict = least(first, || {
            black_box(ask(&rules, black_box(case.url.as_str())));
        });
        drop(rules);
        let timed = Timed {
            prepared,
            verdict,
            is_right: answer == case.is_allowed,
        };
        // Sending fails if the time limit was reached.
        let _ = sender.send(timed);
    });
    receiver.recv_timeout(LIMIT).map_err(|error| match error {
        RecvTimeoutError::Timeout => "over 10 s",
        RecvTimeoutError::Disconnected => "fails",
    })
}

/// Returns the minimum time of one call, in nanoseconds. The first call took `first`.
fn least(first: Duration, call: impl Fn()) -> f64 {
    let nanos = first.as_nanos();
    if first >= SLOW {
        return nanos as f64;
    }
    let calls = (MEASURED_NANOS / nanos.max(1)).clamp(1, 1_000) as usize;
    (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..calls {
                call();
            }
            start.elapsed().as_nanos() as f64 / calls as f64
        })
        .fold(nanos as f64, f64::min)
}

fn cell(outcome: &Outcome, half: Option<&Outcome>) -> String {
    let timed = match outcome {
        Ok(timed) => timed,
        Err(why) => return (*why).to_owned(),
    };
    let mut cell = format!(
        "{:.4} ms, prepared in {:.1} ms",
        timed.verdict / 1e6,
        timed.prepared.as_secs_f64() * 1e3
    );
    if let Some(Ok(half)) = half {
        let growth = timed.verdict / half.verdict;
        write!(cell, ", {growth:.1} x the half").expect("writing to a string cannot fail");
    }
    if !timed.is_right {
        cell.push_str(", WRONG ANSWER");
    }
    cell
}
