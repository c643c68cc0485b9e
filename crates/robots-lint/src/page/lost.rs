//! Directives of a META that HTML does not read as its content: in attributes of their own, or in a second `content`.

use super::input::PageInput;
use crate::list::begins_with_name;
use crate::shorten::shortened;
use memchr::memmem;
use robots_meta::page::Meta;
use robots_meta::{HeadOptions, PageFacts};

/// Returns the parts of a META for robots that are lost; `None` if there are none. Linear in the tag.
pub(super) fn lost_parts(page: &PageInput, facts: &PageFacts, meta: Meta<'_>) -> Option<String> {
    // `content=noindex, nofollow`: an attribute `nofollow` without a value.
    let names = meta.attributes().filter(|found| found.value().is_empty());
    let names: Vec<&str> = names
        .map(|found| found.name().trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|name| begins_with_name(name))
        .collect();
    if !names.is_empty() {
        return Some(format!("`{}`", shortened(&names.join(", "))));
    }
    let second = second_content(page, facts, meta)?;
    Some(format!("a second `content`: `{}`", shortened(&second)))
}

/// Returns the value of the second `content` of a META, which the HTML parser drops; `None` if it has none, or one that is equal
/// to the first.
fn second_content(page: &PageInput, facts: &PageFacts, meta: Meta<'_>) -> Option<String> {
    let span = meta.span();
    let mut tag = page.html().get(span.clone())?.to_ascii_lowercase();
    memmem::find_iter(&tag, b"content").nth(1)?;
    tag.copy_from_slice(page.html().get(span.clone())?);
    // The name before the value of the first.
    let value = meta.attribute("content")?.value_span()?;
    let before = tag.get(..value.start.checked_sub(span.start)?)?;
    let end = before.iter().rposition(u8::is_ascii_alphabetic)? + 1;
    let start = end.checked_sub(b"content".len())?;
    let name = tag.get_mut(start..end)?;
    if !name.eq_ignore_ascii_case(b"content") {
        return None;
    }
    // Without its name, the second is the first that the parser finds.
    name.fill(b'x');
    let read = HeadOptions::new().with_charset(facts.encoding()).read(&tag);
    let second = read
        .metas()
        .next()?
        .attribute("content")?
        .value()
        .trim()
        .to_owned();
    (!second.eq_ignore_ascii_case(meta.content().trim())).then_some(second)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::FindingKind as Kind;
    use crate::page::PageLinter;

    #[test]
    fn directives_outside_of_the_content() {
        let found = |meta: &str| -> Vec<(Kind, String)> {
            let page = PageInput::new(format!("<meta name=robots {meta}>"));
            let linted = PageLinter::new(&["robots"]).lint(page, None);
            let found = linted.findings().into_iter().map(|found| {
                let prefix = format!("{}: ", found.kind);
                let detail = found.message.strip_prefix(&prefix).unwrap_or_default();
                (found.kind, detail.to_owned())
            });
            found.collect()
        };
        for (meta, detail) in [
            ("content=noindex, nofollow", "`nofollow`"),
            (
                "content=noindex, nofollow, max-snippet:0",
                "`nofollow, max-snippet:0`",
            ),
            ("noindex", "`noindex`"),
            (
                "content=index content='noindex, nofollow'",
                "a second `content`: `noindex, nofollow`",
            ),
            (
                "CONTENT = 'index' data-x=content Content=none",
                "a second `content`: `none`",
            ),
        ] {
            let expected = [(Kind::LostDirective, detail.to_owned())];
            assert_eq!(found(meta), expected, "{meta}");
        }
        for meta in [
            "content='noindex, nofollow'",
            "content=noindex content=noindex",
            "content=noindex data-content=index",
            "content=noindex index=index",
            "content=noindex id=content",
            "content=noindex, data-follow",
        ] {
            assert_eq!(found(meta), [], "{meta}");
        }
    }
}
