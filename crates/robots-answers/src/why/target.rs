//! What holds for the page to which another one redirects, in one sentence.

use super::answers::Answers;
use super::evidence::Evidence;
use super::headline::{cause, headline, unread};
use crate::robot_name;
use robots_policy::decision::Field;
use robots_policy::text::printable;
use robots_policy::{Decision, Fetch, Index};

/// Returns for how many robots the target of a redirect may be indexed, and why the first of the others may not, without the
/// full stop.
pub fn target_sentence(answers: &Answers, evidence: &Evidence) -> String {
    let decisions = &answers.decisions;
    let url = printable(&evidence.url);
    if let Some(next) = evidence.redirect() {
        return format!("The target {url} redirects to {}", printable(&next));
    }
    // Robots that fetch nothing do not index it either.
    if decisions
        .iter()
        .all(|one| one.fetch == Fetch::NotApplicable)
    {
        let text = headline(answers, evidence).text;
        return format!("The target {url}: {text}");
    }
    let may = decisions.iter().filter(|one| one.index == Index::Yes);
    let (all, may) = (decisions.len(), may.count());
    let others = || decisions.iter().filter(|one| one.index != Index::Yes);
    let closed = others().find(|one| one.index != Index::Unknown);
    let answer = match closed {
        None if may == all => format!("The target {url} may be indexed"),
        None if may == 0 => format!("It is not known whether the target {url} may be indexed"),
        None => format!("The target {url} may be indexed by {may} of {all} engines"),
        Some(_) if may == 0 => format!("The target {url} may not be indexed"),
        Some(one) => {
            let name = robot_name(&one.agent, &one.profile);
            format!("The target {url} may be indexed by {may} of {all} engines; {name} may not")
        }
    };
    let example = closed.or_else(|| others().next());
    match example.and_then(|one| why(one, answers, evidence)) {
        Some(why) => format!("{answer}: {why}"),
        None => answer,
    }
}

/// Returns why a robot may not index the page, or why that is not known.
fn why(decision: &Decision, answers: &Answers, evidence: &Evidence) -> Option<String> {
    let field = if decision.may_fetch() {
        Field::Index
    } else {
        Field::Fetch
    };
    let reason = decision.deciding_reason(field);
    let why = reason.map(|reason| cause(reason, &answers.places));
    let why = why.or_else(|| unread(&evidence.page))?;
    Some(match decision.index {
        Index::UrlOnly => format!("{why}, so it may be listed by its URL alone"),
        _ => why,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::why::evidence::{KnownPage, PageEvidence, RobotsEvidence};
    use crate::why::policies;
    use robots_meta::Timestamp;
    use robots_policy::RobotsFetch;

    fn of(robots: &str, page: PageEvidence) -> String {
        of_robots(&["Googlebot", "bingbot"], robots, page)
    }

    fn of_robots(agents: &[&str], robots: &str, page: PageEvidence) -> String {
        let given = RobotsEvidence::Unknown {
            remedy: String::new(),
        };
        let evidence = Evidence::new("https://example.com/new", given, page);
        let policies = policies(agents.iter().copied(), &[]).unwrap();
        let robots = RobotsFetch::Body(robots.as_bytes());
        let states = policies.iter().map(|one| (one, one.robots(robots)));
        let answers = Answers::new(states, &evidence, Timestamp::from_seconds(0), &[]);
        target_sentence(&answers, &evidence)
    }

    fn html(html: &str) -> PageEvidence {
        PageEvidence::Known(Box::new(KnownPage::of_html(html.as_bytes().to_vec())))
    }

    #[test]
    fn a_target_has_its_answer_and_its_cause() {
        let target = "The target https://example.com/new";
        assert_eq!(of("", html("")), format!("{target} may be indexed"));
        assert_eq!(
            of("", html("<meta name=robots content=noindex>")),
            format!("{target} may not be indexed: the META in line 1, column 1 has `noindex`")
        );
        assert_eq!(
            of("", html("<meta name=bingbot content=noindex>")),
            format!(
                "{target} may be indexed by 1 of 2 engines; Bing may not: the META in line 1, column 1 has `noindex`"
            )
        );
        assert_eq!(
            of("User-agent: *\nDisallow: /", html("")),
            format!(
                "{target} may not be indexed: line 2 of robots.txt disallows it, so it may be listed by its URL alone"
            )
        );
        assert_eq!(
            of("", PageEvidence::Unknown("the host is down".to_owned())),
            "It is not known whether the target https://example.com/new may be indexed: it was not read, as the host is down"
        );
        assert_eq!(
            of_robots(&["Google-Extended"], "", html("")),
            format!("{target}: Google-Extended fetches nothing; it may train AI with this page")
        );
        let again = vec![("Location".to_owned(), b"/newer".to_vec())];
        let again = KnownPage::of_response(Some(301), again);
        assert_eq!(
            of("", PageEvidence::Known(Box::new(again))),
            format!("{target} redirects to https://example.com/newer")
        );
    }
}
