//! The answers of a field as marks: a shape, a colour and a word each, so that none depends on colour alone.

use maud::{Markup, PreEscaped, html};
use robots_answers::why::{answer_word, field_title};
use robots_policy::Decision;
use robots_policy::decision::Field;

/// A mark: the kind of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Mark {
    /// A permission.
    Yes,
    /// A prohibition.
    No,
    /// A permission of a part, or at another time.
    Part,
    /// No answer.
    Open,
}

/// Returns the name of a field in the narrow columns of the table of engines, and wherever the page refers to them.
pub(super) fn title(field: Field) -> &'static str {
    match field {
        Field::Follow => "Follow",
        Field::Archive => "Archive",
        Field::MayTrain => "Train",
        Field::AiInput => "Answers",
        Field::AiSearch => "Search",
        field => field_title(field),
    }
}

/// The number of columns that are about AI: the last of [`MAIN_FIELDS`](robots_answers::why::MAIN_FIELDS).
pub(super) const AI_COLUMNS: usize = 3;

/// The shapes that the marks refer to. A page has them once.
const SHAPES: &str = r#"<svg class="sprite" aria-hidden="true"><symbol id="yes" viewBox="0 0 20 20"><circle cx="10" cy="10" r="9" fill="none" stroke="currentColor" stroke-width="1.8"/><path d="m5.8 10.4 2.8 2.8 5.6-6" fill="none" stroke="currentColor" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round"/></symbol><symbol id="no" viewBox="0 0 20 20"><rect x="1" y="1" width="18" height="18" rx="3.5" fill="currentColor"/><path class="cut" d="m6 6 8 8m0-8-8 8" fill="none" stroke-width="2.4" stroke-linecap="round"/></symbol><symbol id="part" viewBox="0 0 20 20"><path d="M10 1 19 10 10 19 1 10z" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linejoin="round"/><path d="M10 1v18L1 10z" fill="currentColor"/></symbol><symbol id="open" viewBox="0 0 20 20"><circle cx="10" cy="10" r="8.5" fill="none" stroke="currentColor" stroke-width="1.4" stroke-dasharray="2 2.4"/><path d="M6.5 10h7" stroke="currentColor" stroke-width="1.6" stroke-linecap="round"/></symbol></svg>"#;

/// Returns the shapes that the marks of a page refer to.
pub(super) fn shapes() -> Markup {
    PreEscaped(SHAPES.to_owned())
}

impl Mark {
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Part => "part",
            Self::Open => "open",
        }
    }

    /// Returns the shape, without words.
    pub(super) fn shape(self) -> Markup {
        html! { svg aria-hidden="true" { use href={ "#" (self.class()) } {} } }
    }

    /// Returns the mark with words.
    pub(super) fn with_words(self, words: &str) -> Markup {
        html! { span class={ "mark " (self.class()) } { (self.shape()) span class="word" { (words) } } }
    }
}

/// Returns the answer of a field as a mark and as a word for people.
pub(super) fn answer(decision: &Decision, field: Field) -> (Mark, &'static str) {
    let word = answer_word(decision, field);
    match field.text(decision).as_str() {
        "yes" if field == Field::MayTrain && decision.deciding_reason(field).is_none() => {
            (Mark::Yes, "yes: nothing forbids it")
        }
        "allow" | "yes" => (Mark::Yes, word),
        "disallow" | "no" => (Mark::No, word),
        "url_only" | "limited" | "defer" => (Mark::Part, word),
        _ => (Mark::Open, word),
    }
}

#[cfg(test)]
mod tests {
    use super::{Mark, answer, title};
    use robots_answers::why::MAIN_FIELDS;
    use robots_policy::decision::Field;
    use robots_policy::{Page, Policy, Profile, RobotsFetch};

    /// The column about training is the conclusion, as in the sentence about all engines.
    #[test]
    fn training_is_shown_as_its_conclusion() {
        let (open, closed) = (&b""[..], &b"User-agent: *\nDisallow: /"[..]);
        for (robots, html, mark, word) in [
            (
                RobotsFetch::Body(open),
                "<p>",
                Mark::Yes,
                "yes: nothing forbids it",
            ),
            (
                RobotsFetch::Body(open),
                "<meta name=robots content=noai>",
                Mark::No,
                "no",
            ),
            (RobotsFetch::Body(closed), "<p>", Mark::No, "no"),
            (RobotsFetch::NotFetched, "<p>", Mark::Open, "not known"),
        ] {
            let policy = Policy::under(&Profile::neutral(), "*").unwrap();
            let page = Page::new("https://example.com/x").with_html(html.as_bytes());
            let decision = policy.decide_under(&policy.robots(robots), &page);
            let found = answer(&decision, Field::MayTrain);
            assert_eq!(found, (mark, word), "{html}");
        }
        assert!(MAIN_FIELDS.contains(&Field::MayTrain));
        assert_eq!(title(Field::MayTrain), "Train");
    }
}
