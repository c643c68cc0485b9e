//! A URL and a robots.txt, split by the first NUL: under every dialect, the compiled rules have the verdict and the line of
//! the reference. So have rules that were stored as bytes.
use robots_txt::{Agent, Dialect, RobotsTxt, Rules, Target};

/// The number of rules up to which they are sorted when they are compiled.
const FEW_RULES: usize = 12;

/// The number of targets after which more rules are sorted.
const UNSORTED_SEARCHES: usize = 16;

/// Checks one input.
pub fn check(data: &[u8]) {
    let mut parts = data.splitn(2, |&byte| byte == 0);
    let url = parts.next().unwrap_or_default();
    let body = parts.next().unwrap_or_default();
    let robots = RobotsTxt::parse(body).with_url("https://example.com/robots.txt");
    let target = Target::new(url);
    let agents = [Agent::new("a"), Agent::known("Googlebot-News")];
    for dialect in Dialect::ALL {
        let all = robots.rules_of_all(&agents, dialect);
        for ((agent, rules), together) in agents.iter().zip(all.iter()).zip(all.verdicts(&target)) {
            let expected = robots_reference::verdict(&robots, agent, dialect, url);
            let expected = (expected.is_allowed, expected.line);
            let verdict = rules.verdict(&target);
            assert_eq!((verdict.is_allowed(), verdict.line()), expected);
            assert_eq!(verdict, together);
            // Many rules are sorted after the first targets.
            if rules.iter().len() > FEW_RULES {
                for _ in 0..UNSORTED_SEARCHES {
                    assert_eq!(rules.verdict(&target), verdict);
                }
            }
            let kept = Rules::from_bytes(rules.to_bytes(), dialect).expect("just written");
            let verdict = kept.verdict(&target);
            assert_eq!((verdict.is_allowed(), verdict.line()), expected);
        }
    }
}
