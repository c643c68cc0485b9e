//! The answer in one sentence.

use super::answers::Answers;
use super::evidence::{Evidence, PageEvidence, RobotsEvidence};
use super::places::StatementPlaces;
use super::remark::remark;
use crate::page::words::quoted;
use crate::robot_name;
use robots_policy::decision::{Field, Permission, Reason, Source};
use robots_policy::text::printable;
use robots_policy::{Decision, Fetch, Index};

/// What an engine may do with a page, as the headline distinguishes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    /// It may fetch and index the page.
    Indexes,
    /// It may fetch the page, and not index it.
    FetchesOnly,
    /// It may fetch the page; whether it may index it is not known.
    FetchesPerhapsIndexes,
    /// It may not fetch the page now.
    Later,
    /// It may not fetch the page.
    Nothing,
    /// Whether it may fetch the page is not known.
    Unknown,
    /// It fetches nothing, and is a token for the use of content: whether it may train AI with the page.
    Trains(Permission),
}

impl Use {
    fn of(decision: &Decision) -> Self {
        match (decision.fetch, decision.index) {
            (Fetch::Disallow, _) => Self::Nothing,
            (Fetch::Defer, _) => Self::Later,
            (Fetch::Unknown, _) => Self::Unknown,
            (Fetch::NotApplicable, _) => Self::Trains(decision.may_train),
            (_, Index::Yes) => Self::Indexes,
            (_, Index::No) => Self::FetchesOnly,
            _ => Self::FetchesPerhapsIndexes,
        }
    }

    /// Returns the field whose deciding statement is the cause; `None` for a permission.
    fn field(self) -> Option<Field> {
        match self {
            Self::Indexes | Self::Trains(Permission::Yes) => None,
            Self::Trains(_) => Some(Field::MayTrain),
            Self::FetchesOnly | Self::FetchesPerhapsIndexes => Some(Field::Index),
            Self::Later | Self::Nothing | Self::Unknown => Some(Field::Fetch),
        }
    }

    /// Returns why the page is not known, where that is the cause: its status, or for a site that was asked why it was not requested.
    fn unread(self, evidence: &Evidence) -> Option<String> {
        let is_cause = matches!(
            self,
            Self::FetchesPerhapsIndexes | Self::Trains(Permission::Unknown)
        );
        let is_shown = matches!(evidence.page, PageEvidence::Known(_))
            || matches!(evidence.robots_txt, RobotsEvidence::Requested(_));
        unread(&evidence.page).filter(|_| is_cause && is_shown)
    }

    /// Returns the answer for all engines.
    fn of_all(self) -> &'static str {
        match self {
            Self::Indexes => "Every engine may fetch and index this page",
            Self::FetchesOnly => "Every engine may fetch this page, and none may index it",
            Self::FetchesPerhapsIndexes => {
                "Every engine may fetch this page; whether they may index it is not known"
            }
            Self::Later => "No engine may fetch this page now",
            Self::Nothing => "No engine may fetch this page",
            Self::Unknown => "It is not known whether engines may fetch this page",
            Self::Trains(Permission::Yes) => {
                "These robots fetch nothing; they may train AI with this page"
            }
            Self::Trains(Permission::No) => {
                "These robots fetch nothing; they may not train AI with this page"
            }
            Self::Trains(_) => {
                "These robots fetch nothing; whether they may train AI with this page is not known"
            }
        }
    }

    /// Returns the answer for one engine, after its name.
    fn of_one(self) -> &'static str {
        match self {
            Self::Indexes => "may fetch and index this page",
            Self::FetchesOnly => "may fetch this page, but not index it",
            Self::FetchesPerhapsIndexes => "may fetch this page",
            Self::Later => "may not fetch this page now",
            Self::Nothing => "may not fetch this page",
            Self::Unknown => "is not known to be allowed",
            Self::Trains(Permission::Yes) => "fetches nothing; it may train AI with this page",
            Self::Trains(Permission::No) => "fetches nothing; it may not train AI with this page",
            Self::Trains(_) => {
                "fetches nothing; whether it may train AI with this page is not known"
            }
        }
    }
}

/// The answer in one sentence, without its full stop.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Headline {
    /// The sentence: `Google may not fetch this page: line 2 of robots.txt disallows it`.
    pub text: String,
    /// Whether every robot may fetch and index the page, or train AI with it, and nothing in it asks for another page or is misspelt.
    pub is_open: bool,
    /// The statement that decides for the first robot, if there is one.
    pub source: Option<Source>,
    /// The statement without effect that the sentence is about, such as a misspelt one.
    pub ineffective: Option<Source>,
    /// The page that robots are led to instead, if there is one: the target of a redirect, or of a META or link in the page. A
    /// URL, or of a redirect what is in its place.
    pub target: Option<String>,
}

/// Returns the headline: the answer for the first robot with its cause, and how many others differ. Where the cause is usual, such as
/// a redirect, the headline names it.
pub fn headline(answers: &Answers, evidence: &Evidence) -> Headline {
    let decisions = &answers.decisions;
    let uses: Vec<Use> = decisions.iter().map(Use::of).collect();
    let Some((first, first_use)) = decisions.first().zip(uses.first().copied()) else {
        return Headline::of("No engine was asked".to_owned(), None);
    };
    if let Some(target) = evidence.redirect()
        && !matches!(first_use, Use::Later | Use::Nothing | Use::Unknown)
    {
        let text = format!("This page redirects to {}", printable(&target));
        return Headline {
            target: Some(target),
            ..Headline::of(text, None)
        };
    }
    let reason = first_use
        .field()
        .and_then(|field| first.deciding_reason(field));
    let source = reason.map(|reason| reason.source);
    let cause = reason
        .map(|reason| cause(reason, &answers.places))
        .or_else(|| first_use.unread(evidence));
    let (mut text, others) = answer(decisions, &uses, first_use);
    let remark = (first_use == Use::Indexes).then(|| remark(answers, evidence));
    let remark = remark.flatten();
    let is_open = others.is_none() && first_use.field().is_none() && remark.is_none();
    if let Some(cause) = cause {
        text = format!("{text}: {cause}");
    }
    let (remark, ineffective, target) = match remark {
        Some(remark) => (Some(remark.text), remark.statement, remark.target),
        None => (None, None, None),
    };
    for part in [others, remark].into_iter().flatten() {
        text = format!("{text}; {part}");
    }
    Headline {
        is_open,
        ineffective,
        target,
        ..Headline::of(text, source)
    }
}

impl Headline {
    fn of(text: String, source: Option<Source>) -> Self {
        Self {
            text,
            is_open: false,
            source,
            ineffective: None,
            target: None,
        }
    }
}

/// Returns the answer for the first robot, or for all if it is the same, and otherwise how many others differ.
fn answer(decisions: &[Decision], uses: &[Use], first_use: Use) -> (String, Option<String>) {
    let name = decisions.first().map_or("", name_of);
    if uses.len() == 1 {
        return (capitalised(&format!("{name} {}", first_use.of_one())), None);
    }
    if uses.iter().all(|other| *other == first_use) {
        return (first_use.of_all().to_owned(), None);
    }
    if uses
        .iter()
        .all(|one| matches!(one, Use::Later | Use::Nothing))
    {
        return (Use::Later.of_all().to_owned(), None);
    }
    let all = uses.len();
    let same = uses.iter().filter(|&other| *other == first_use).count();
    let indexing = uses.iter().filter(|&&other| other == Use::Indexes).count();
    let is_token = |one: &Use| matches!(one, Use::Trains(_));
    let fetches =
        |one: &&Use| !is_token(one) && !matches!(one, Use::Later | Use::Nothing | Use::Unknown);
    let fetching = uses.iter().filter(fetches).count();
    let unknown = |one: &&Use| **one == Use::FetchesPerhapsIndexes;
    let others = match first_use {
        Use::FetchesOnly if uses.iter().filter(unknown).count() == all - same => {
            format!("for {} of {all} engines it is not known", all - same)
        }
        Use::Indexes if !uses.iter().any(is_token) => {
            format!("{} of {all} engines may not", all - same)
        }
        _ if indexing > 0 && first_use != Use::Indexes => {
            format!("{indexing} of {all} engines may fetch and index it")
        }
        Use::Later | Use::Nothing if fetching > 0 => format!("{fetching} of {all} engines may"),
        _ => format!("{} of {all} engines differ", all - same),
    };
    (
        capitalised(&format!("{name} {}", first_use.of_one())),
        Some(others),
    )
}

/// Returns a sentence that begins with the name of a robot. The names of robots keep their letters, so only the words for those
/// without a name get a capital one.
fn capitalised(text: &str) -> String {
    match text.strip_prefix("robots ") {
        Some(rest) => format!("Robots {rest}"),
        None => text.to_owned(),
    }
}

/// Returns the name of a decision's robot for people.
fn name_of(decision: &Decision) -> &str {
    robot_name(&decision.agent, &decision.profile)
}

/// Returns why a page was not read, as a clause; `None` if it was.
pub(super) fn unread(page: &PageEvidence) -> Option<String> {
    match page {
        PageEvidence::Unknown(why) => Some(format!("it was not read, as {}", printable(why))),
        PageEvidence::Known(page) => page.status.filter(|status| *status >= 400).map(with_status),
    }
}

/// Returns a status of a page as a cause, as a clause.
fn with_status(status: u16) -> String {
    match status {
        401 => "it asks for a login (status 401)".to_owned(),
        403 => "the server refuses it (status 403)".to_owned(),
        404 | 410 => format!("there is no page at this URL (status {status})"),
        status => format!("it answers with status {status}"),
    }
}

/// Returns why a statement decides, as a clause.
pub(super) fn cause(reason: &Reason, places: &StatementPlaces) -> String {
    let text = printable(&reason.text);
    match &reason.source {
        Source::RobotsTxt { line } if reason.field == Field::Fetch => {
            format!("line {line} of robots.txt disallows it")
        }
        Source::Status => text.parse().map_or_else(|_| text.into_owned(), with_status),
        Source::Meta { .. } => format!("the {} has {}", places.text(&reason.source), quoted(&text)),
        Source::RobotsTxt { .. } | Source::Header { .. } | Source::PageHeader { .. } => {
            format!("{} has {}", reason.source, quoted(&text))
        }
        // The outcome of the request for robots.txt, and facts about the page or the URL.
        _ => text.into_owned(),
    }
}

/// Returns the answer about several URLs: how many the first engine may fetch, and how many all may. Where one robot was asked
/// about, the answer is about it alone. `by_url` has the decisions of all engines about each URL.
pub fn headline_of_urls(by_url: &[impl AsRef<[Decision]>]) -> String {
    let only = by_url.iter().map(|of| match of.as_ref() {
        [one] => Some(one),
        _ => None,
    });
    if let Some(decisions) = only.collect::<Option<Vec<_>>>() {
        return headline_of_robot(&decisions);
    }
    let may = |decision: &Decision| decision.may_fetch();
    let by_url = || by_url.iter().map(AsRef::as_ref);
    let decisions = || by_url().flatten();
    let all = by_url().len();
    let first = by_url().filter(|of| of.first().is_some_and(may));
    let every = by_url().filter(|of| of.iter().all(may)).count();
    let are_all = |fetch: Fetch| decisions().all(|decision| decision.fetch == fetch);
    if every == all {
        return format!("Every engine may fetch all {all} URLs");
    }
    if are_all(Fetch::Disallow) {
        return format!("No engine may fetch any of the {all} URLs");
    }
    if are_all(Fetch::Unknown) {
        return format!("It is not known whether engines may fetch the {all} URLs");
    }
    if !decisions().any(may) {
        return format!("No engine may fetch any of the {all} URLs now");
    }
    let name = decisions().next().map_or("", name_of);
    let is = if every == 1 { "is" } else { "are" };
    format!(
        "{name} may fetch {} of {all} URLs; {every} {is} open to every engine",
        first.count()
    )
}

/// Returns how many URLs one robot may fetch, or train AI with if it fetches nothing.
fn headline_of_robot(decisions: &[&Decision]) -> String {
    let name = decisions.first().map_or("", |one| name_of(one));
    let all = decisions.len();
    let count = |is: &dyn Fn(Use) -> bool| {
        let uses = decisions.iter().map(|one| Use::of(one));
        uses.filter(|one| is(*one)).count()
    };
    let of_all = |count: usize| match count {
        0 => format!("none of the {all} URLs"),
        _ if count == all => format!("all {all} URLs"),
        _ => format!("{count} of {all} URLs"),
    };
    let text = if count(&|one| matches!(one, Use::Trains(_))) == all {
        let yes = count(&|one| one == Use::Trains(Permission::Yes));
        let no = count(&|one| one == Use::Trains(Permission::No));
        let answer = if yes + no == all {
            format!("it may train AI with {}", of_all(yes))
        } else if no > 0 {
            format!("it may not train AI with {}", of_all(no))
        } else {
            format!("whether it may train AI with the {all} URLs is not known")
        };
        format!("{name} fetches nothing; {answer}")
    } else if count(&|one| one == Use::Unknown) == all {
        format!("It is not known whether {name} may fetch the {all} URLs")
    } else {
        let may = decisions.iter().filter(|one| one.may_fetch()).count();
        let is_later = may == 0 && count(&|one| one == Use::Later) > 0;
        let now = if is_later { " now" } else { "" };
        format!("{name} may fetch {}{now}", of_all(may))
    };
    capitalised(&text)
}

/// Returns what the decisions say about training, in a sentence.
pub fn training(decisions: &[Decision]) -> String {
    let all = decisions.len();
    let count = |permission: Permission| {
        let with = decisions.iter().filter(|one| one.may_train == permission);
        with.count()
    };
    let (no, unknown) = (count(Permission::No), count(Permission::Unknown));
    if let ([one], 1) = (decisions, no) {
        format!("{} may not train AI with it.", capitalised(name_of(one)))
    } else if no == all {
        "No engine may train AI with it.".to_owned()
    } else if no > 0 {
        format!("{no} of {all} engines may not train AI with it.")
    } else if unknown > 0 {
        "Whether AI may be trained with it is not known.".to_owned()
    } else {
        "Nothing forbids to train AI with it.".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::why::evidence::KnownPage;
    use crate::why::policies;
    use robots_meta::Timestamp;
    use robots_policy::{Profile, RobotsFetch};

    fn evidence(page: KnownPage) -> Evidence {
        let robots = RobotsEvidence::Unknown {
            remedy: String::new(),
        };
        let page = PageEvidence::Known(Box::new(page));
        Evidence::new("https://example.com/x", robots, page)
    }

    fn answers(robots: RobotsFetch<'_>, evidence: &Evidence, profiles: &[&str]) -> Answers {
        let profiles: Vec<Profile> = profiles.iter().map(|name| name.parse().unwrap()).collect();
        let policies = policies([], &profiles).unwrap();
        let states = policies.iter().map(|one| (one, one.robots(robots)));
        Answers::new(states, evidence, Timestamp::from_seconds(0), &[])
    }

    /// Returns the headline for three engines.
    fn of_page(robots: RobotsFetch<'_>, page: KnownPage) -> String {
        let evidence = evidence(page);
        let answers = answers(robots, &evidence, &["google", "bing", "seznam"]);
        headline(&answers, &evidence).text
    }

    fn decide(robots: RobotsFetch<'_>, html: &str) -> Vec<Decision> {
        let evidence = evidence(KnownPage::of_html(html.as_bytes().to_vec()));
        answers(robots, &evidence, &["google", "bing", "seznam"]).decisions
    }

    #[test]
    fn headlines_say_what_engines_may_do() {
        for (robots, html, headline) in [
            ("", "", "Every engine may fetch and index this page"),
            (
                "User-agent: *\nDisallow: /",
                "",
                "No engine may fetch this page: line 2 of robots.txt disallows it",
            ),
            (
                "",
                "<meta name=robots content=noindex>",
                "Every engine may fetch this page, and none may index it: the META in line 1, column 1 has `noindex`",
            ),
            (
                "User-agent: bingbot\nDisallow: /",
                "",
                "Google may fetch and index this page; 1 of 3 engines may not",
            ),
            (
                "User-agent: Googlebot\nDisallow: /",
                "",
                "Google may not fetch this page: line 2 of robots.txt disallows it; 2 of 3 engines may fetch and index it",
            ),
            (
                "User-agent: Googlebot\nDisallow: /",
                "<meta name=robots content=noindex>",
                "Google may not fetch this page: line 2 of robots.txt disallows it; 2 of 3 engines may",
            ),
            (
                "",
                "<meta name=googlebot content=noindex>",
                "Google may fetch this page, but not index it: the META in line 1, column 1 has `noindex`; 2 of 3 engines may fetch and index it",
            ),
        ] {
            let page = KnownPage::of_html(html.as_bytes().to_vec());
            assert_eq!(
                of_page(RobotsFetch::Body(robots.as_bytes()), page),
                headline
            );
        }
        let blank = || KnownPage::of_html(Vec::new());
        assert_eq!(
            of_page(RobotsFetch::Status(503), blank()),
            "No engine may fetch this page now: robots.txt was answered with status 503"
        );
        assert_eq!(
            of_page(RobotsFetch::NotFetched, blank()),
            "It is not known whether engines may fetch this page: robots.txt is not known"
        );
        let evidence = evidence(blank());
        let one = answers(RobotsFetch::Body(b""), &evidence, &["google"]);
        assert!(headline(&one, &evidence).is_open);
        assert_eq!(
            headline(&one, &evidence).text,
            "Google may fetch and index this page"
        );
    }

    #[test]
    fn usual_causes_are_named() {
        let open = RobotsFetch::Body(b"");
        let response = |status: u16, headers: &[(&str, &str)]| {
            let headers = headers.iter();
            let headers =
                headers.map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec()));
            of_page(
                open,
                KnownPage::of_response(Some(status), headers.collect()),
            )
        };
        assert_eq!(
            response(301, &[("Location", "/new?a=1")]),
            "This page redirects to https://example.com/new?a=1"
        );
        let none = "Google may fetch this page, but not index it";
        for (status, cause) in [
            (401, "it asks for a login (status 401)"),
            (403, "the server refuses it (status 403)"),
            (404, "there is no page at this URL (status 404)"),
            (410, "there is no page at this URL (status 410)"),
        ] {
            let others = "for 2 of 3 engines it is not known";
            assert_eq!(response(status, &[]), format!("{none}: {cause}; {others}"));
        }
        assert_eq!(
            response(500, &[]),
            "Every engine may fetch this page; whether they may index it is not known: it answers with status 500"
        );
        let found = response(200, &[("X-Robots-Tag", "noindex")]);
        let cause = "X-Robots-Tag in header line 1 has `noindex`";
        assert!(found.starts_with(&format!("{none}: {cause}")), "{found}");
        let all = "Every engine may fetch and index this page";
        for (html, remark) in [
            (
                "<meta name=robots content=no-index>",
                "; `no-index` in the META in line 1, column 1 is misspelt: `noindex` is probably meant",
            ),
            (
                "<link rel=canonical href=/other#top>",
                "; its canonical link names https://example.com/other",
            ),
            ("<link rel=canonical href=/x>", ""),
            (
                "<META http-equiv=Refresh content='0; url=/y'>",
                "; a META refresh leads to https://example.com/y",
            ),
            (
                "<meta http-equiv=refresh content='0; /new?id=5'>",
                "; a META refresh leads to https://example.com/new?id=5",
            ),
            ("<meta http-equiv=refresh content=30>", ""),
            (
                "<meta name=robot content=noindex>",
                "; no engine reads the META in line 1, column 1: `robot` is perhaps `robots`",
            ),
            (
                "<meta http-equiv=robots content=noindex>",
                "; no engine reads the META in line 1, column 1: `http-equiv` in place of `name`",
            ),
            ("<meta name=robots content=unknown>", ""),
        ] {
            let page = KnownPage::of_html(html.as_bytes().to_vec());
            assert_eq!(of_page(open, page), format!("{all}{remark}"), "{html}");
        }
        let html = b"<img><meta name=robots content=noindex>";
        let late = evidence(KnownPage::of_html(html.to_vec()));
        let of_bing = answers(open, &late, &["bing"]);
        assert_eq!(
            headline(&of_bing, &late).text,
            "Bing may fetch and index this page; a META for robots is in the source after HEAD ended at byte 0, at <img> (noindex)"
        );
    }

    #[test]
    fn several_urls_are_counted() {
        let open = || decide(RobotsFetch::Body(b""), "");
        let closed = || decide(RobotsFetch::Body(b"User-agent: *\nDisallow: /"), "");
        let bing = || decide(RobotsFetch::Body(b"User-agent: bingbot\nDisallow: /"), "");
        assert_eq!(
            headline_of_urls(&[open(), open()]),
            "Every engine may fetch all 2 URLs"
        );
        assert_eq!(
            headline_of_urls(&[closed(), closed()]),
            "No engine may fetch any of the 2 URLs"
        );
        let unknown = || decide(RobotsFetch::NotFetched, "");
        assert_eq!(
            headline_of_urls(&[unknown(), unknown()]),
            "It is not known whether engines may fetch the 2 URLs"
        );
        let later = || decide(RobotsFetch::Status(503), "");
        assert_eq!(
            headline_of_urls(&[later(), later()]),
            "No engine may fetch any of the 2 URLs now"
        );
        assert_eq!(
            headline_of_urls(&[open(), closed(), bing()]),
            "Google may fetch 2 of 3 URLs; 1 is open to every engine"
        );
    }

    /// The other engines were not asked, so the answer says nothing about them.
    #[test]
    fn several_urls_of_one_robot_are_counted() {
        let of = |agent: &str, robots: RobotsFetch<'_>, urls: &[&str]| {
            let policy = policies([agent], &[]).unwrap().remove(0);
            let decide = |url: &&str| {
                let mut evidence = evidence(KnownPage::of_html(Vec::new()));
                evidence.url = format!("https://example.com{url}");
                let states = [(&policy, policy.robots(robots))];
                Answers::new(states, &evidence, Timestamp::from_seconds(0), &[]).decisions
            };
            headline_of_urls(&urls.iter().map(decide).collect::<Vec<_>>())
        };
        let body = |text: &'static str| RobotsFetch::Body(text.as_bytes());
        let named = body("User-agent: *\nDisallow: /\n\nUser-agent: GPTBot\nAllow: /");
        let part = body("User-agent: *\nDisallow: /a");
        let tokens = body("User-agent: Google-Extended\nDisallow: /a");
        let (busy, unknown) = (RobotsFetch::Status(503), RobotsFetch::NotFetched);
        let two = &["/a", "/b"][..];
        for (agent, robots, urls, text) in [
            ("GPTBot", named, two, "GPTBot may fetch all 2 URLs"),
            ("bingbot", named, two, "Bing may fetch none of the 2 URLs"),
            (
                "*",
                part,
                two,
                "Robots without a group of their own may fetch 1 of 2 URLs",
            ),
            (
                "Googlebot",
                busy,
                two,
                "Google may fetch none of the 2 URLs now",
            ),
            (
                "*",
                unknown,
                two,
                "It is not known whether robots without a group of their own may fetch the 2 URLs",
            ),
            (
                "Google-Extended",
                tokens,
                two,
                "Google-Extended fetches nothing; it may train AI with 1 of 2 URLs",
            ),
            (
                "Google-Extended",
                tokens,
                &["/a", "/a/b"],
                "Google-Extended fetches nothing; it may train AI with none of the 2 URLs",
            ),
            (
                "Google-Extended",
                unknown,
                two,
                "Google-Extended fetches nothing; whether it may train AI with the 2 URLs is not known",
            ),
        ] {
            assert_eq!(of(agent, robots, urls), text);
        }
    }

    #[test]
    fn tokens_that_fetch_nothing_train_ai() {
        let evidence = evidence(KnownPage::of_html(Vec::new()));
        let of = |robots: RobotsFetch<'_>, agents: &[&str]| {
            let policies = policies(agents.iter().copied(), &[]).unwrap();
            let states = policies.iter().map(|one| (one, one.robots(robots)));
            let answers = Answers::new(states, &evidence, Timestamp::from_seconds(0), &[]);
            headline(&answers, &evidence)
        };
        let open = of(RobotsFetch::Body(b""), &["Google-Extended"]);
        assert!(open.is_open);
        let closed = RobotsFetch::Body(b"User-agent: Google-Extended\nDisallow: /");
        let [google, apple] = ["Google-Extended", "Applebot-Extended"];
        for (robots, agents, text) in [
            (
                RobotsFetch::Body(b""),
                &[google][..],
                "Google-Extended fetches nothing; it may train AI with this page",
            ),
            (
                closed,
                &[google],
                "Google-Extended fetches nothing; it may not train AI with this page: \
                 robots.txt line 2 has `Disallow: / (group of Google-Extended)`",
            ),
            (
                RobotsFetch::NotFetched,
                &[google],
                "Google-Extended fetches nothing; whether it may train AI with this page is not known",
            ),
            (
                RobotsFetch::Body(b""),
                &[google, apple],
                "These robots fetch nothing; they may train AI with this page",
            ),
            (
                RobotsFetch::Body(b""),
                &["GPTBot", google],
                "GPTBot may fetch and index this page; 1 of 2 engines differ",
            ),
            (
                closed,
                &[google, "GPTBot"],
                "Google-Extended fetches nothing; it may not train AI with this page: \
                 robots.txt line 2 has `Disallow: / (group of Google-Extended)`; 1 of 2 engines may fetch and index it",
            ),
        ] {
            assert_eq!(of(robots, agents).text, text);
        }
    }

    #[test]
    fn training_is_counted() {
        let of = |robots: &str, html: &str| {
            training(&decide(RobotsFetch::Body(robots.as_bytes()), html))
        };
        assert_eq!(of("", "<p>"), "Nothing forbids to train AI with it.");
        assert_eq!(
            of("", "<meta name=robots content=noai>"),
            "No engine may train AI with it."
        );
        assert_eq!(
            of("User-agent: bingbot\nDisallow: /", "<p>"),
            "1 of 3 engines may not train AI with it."
        );
        let closed = decide(RobotsFetch::Body(b"User-agent: *\nDisallow: /"), "");
        assert_eq!(training(&closed[..1]), "Google may not train AI with it.");
    }
}
