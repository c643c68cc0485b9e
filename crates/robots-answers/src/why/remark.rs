//! What a headline adds about a page that may be indexed.

use super::answers::Answers;
use super::evidence::{Evidence, PageEvidence};
use super::places::StatementPlaces;
use crate::page::robots_metas;
use crate::page::words::quoted;
use robots_lint::list::{ListFinding, findings_in_content};
use robots_lint::page::{other_page, unsupported_meta};
use robots_meta::HeadOptions;
use robots_policy::decision::{Source, WarningKind};
use robots_policy::text::printable;
use url::Url;

/// A remark, as a clause.
pub(super) struct Remark {
    pub(super) text: String,
    /// The statement without effect that it names, if it names one.
    pub(super) statement: Option<Source>,
    /// The URL of the page that it names, if it names one.
    pub(super) target: Option<String>,
}

/// Returns what keeps a page that may be indexed from being shown, or its owner's wish from being obeyed: a META that is missed or
/// that no engine reads, a misspelt `noindex`, a canonical link to another page, or a META that leads to one.
pub(super) fn remark(answers: &Answers, evidence: &Evidence) -> Option<Remark> {
    let PageEvidence::Known(page) = &evidence.page else {
        return None;
    };
    let warnings = || answers.decisions.iter().flat_map(|one| &one.warnings);
    if let Some(missed) = warnings().find(|warning| warning.kind == WarningKind::AfterHead) {
        let text = printable(&missed.text).into_owned();
        return Some(Remark::about(missed.source, text));
    }
    let unknown = warnings().filter(|warning| warning.kind == WarningKind::UnknownDirective);
    let misspelt = unknown.into_iter().find_map(|warning| {
        let found = findings_in_content(&warning.text);
        let meant = found.iter().find_map(ListFinding::meant)?;
        let text = format!(
            "{} in the {} is misspelt: `{meant}` is probably meant",
            quoted(&warning.text),
            answers.places.text(&warning.source)
        );
        Some(Remark::about(warning.source, text))
    });
    if misspelt.is_some() {
        return misspelt;
    }
    if !page.is_html {
        return None;
    }
    let url = Url::parse(&evidence.url).ok()?;
    let options = HeadOptions::new().with_charset(page.charset().unwrap_or_default());
    let facts = options.read(&page.body);
    let elsewhere = |target: &str| other_page(&url, target).map(String::from);
    let unread = facts.metas().find_map(|meta| {
        let reason = unsupported_meta(meta, robots_metas())?;
        let source = Source::Meta {
            offset: meta.offset(),
        };
        let place = StatementPlaces::new(page, [meta.offset()]).text(&source);
        let text = format!("no engine reads the {place}: {reason}");
        Some(Remark::about(source, text))
    });
    if unread.is_some() {
        return unread;
    }
    let refresh = facts.metas().find_map(|meta| {
        let is_refresh = meta
            .attribute("http-equiv")
            .is_some_and(|value| value.value().eq_ignore_ascii_case("refresh"));
        elsewhere(refresh_target(meta.content()).filter(|_| is_refresh)?)
    });
    if let Some(target) = refresh {
        return Some(Remark::leading("a META refresh leads to", target));
    }
    let canonical = facts.canonical()?;
    let target = elsewhere(canonical.href())?;
    Some(Remark::leading("its canonical link names", target))
}

impl Remark {
    fn about(statement: Source, text: String) -> Self {
        Self {
            text,
            statement: Some(statement),
            target: None,
        }
    }

    fn leading(what: &str, target: String) -> Self {
        Self {
            text: format!("{what} {}", printable(&target)),
            statement: None,
            target: Some(target),
        }
    }
}

/// Returns the URL in the content of a META refresh: `0; url=/new` or `0; /new`, also in quotes (HTML, section 4.2.5.3).
fn refresh_target(content: &str) -> Option<&str> {
    let (_, target) = content.split_once([';', ','])?;
    let target = target.trim();
    let after_name = target
        .get(..3)
        .filter(|name| name.eq_ignore_ascii_case("url"))
        .and_then(|_| target[3..].trim_start().strip_prefix('='));
    Some(
        after_name
            .unwrap_or(target)
            .trim()
            .trim_matches(['\'', '"']),
    )
}
