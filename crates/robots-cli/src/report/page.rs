//! The page with charts and tables.

use super::plain::Plain;
use anyhow::{Context, Result};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use robots_pipeline::new_file::NewFile;
use robots_pipeline::text::path_text;
use std::io::Write as _;
use std::path::Path;

/// The style: a light and a dark theme, and one column on a phone.
const STYLE: &str = "
:root{color-scheme:light dark;--paper:#fdfdfc;--ink:#1c1d1f;--soft:#5c6066;--line:#d9dadd;--mark:#2f5da8;--mark-ink:#fff;--before:#c2531b}
@media(prefers-color-scheme:dark){:root{--paper:#16181b;--ink:#e8e9ea;--soft:#a3a8ae;--line:#363a40;--mark:#7da7ea;--mark-ink:#10141a;--before:#f0a065}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1.5rem 1rem 4rem;max-width:76rem;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.6rem;margin:.2rem 0}
h2{font-size:1.15rem;margin:0 0 .4rem}
p{margin:.3rem 0;color:var(--soft);max-width:46rem}
main{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,32rem),1fr));gap:1.6rem 2.4rem;margin-top:1.4rem}
section{min-width:0}
section.wide{grid-column:1/-1}
svg{width:100%;height:auto;display:block;font:12px system-ui,sans-serif}
svg text{fill:var(--ink)}
svg .tick,svg .value{fill:var(--soft)}
svg .bar{fill:var(--mark)}
svg .before{stroke:var(--before);stroke-width:3}
svg .grid{stroke:var(--line);stroke-width:1}
svg .whisker{stroke:var(--mark);stroke-width:2;stroke-opacity:.55}
svg .curve{fill:none;stroke:var(--mark);stroke-width:2.5}
svg .cell{fill:var(--mark);stroke:var(--line);stroke-width:1}
svg .cell-text.strong{fill:var(--mark-ink)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.9rem;width:100%}
th,td{padding:.25rem .6rem .25rem 0;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
th.text,td.text{text-align:left}
th{color:var(--soft);font-weight:600}
.facts{display:flex;flex-wrap:wrap;gap:.4rem 2rem;margin:1rem 0}
.facts div{min-width:6rem}
.facts b{display:block;font-size:1.5rem;line-height:1.2}
.facts span{color:var(--soft);font-size:.9rem}
";

/// The content security policy: the page loads nothing and runs nothing.
const SECURITY: &str = "default-src 'none';style-src 'unsafe-inline'";

/// A file for a page. It is created before the work starts, so that an unwritable path fails early; it takes its name
/// at the end, so that a report of an earlier run stays until then.
#[derive(Debug)]
pub(crate) struct NewPage<'p> {
    path: &'p Path,
    file: NewFile,
}

impl<'p> NewPage<'p> {
    /// Creates the file.
    pub(crate) fn create(path: &'p Path) -> Result<Self> {
        let file = NewFile::create(path);
        let file = file.with_context(|| format!("cannot write {}", path_text(path)))?;
        Ok(Self { path, file })
    }

    /// Writes the page, and gives the file its name.
    pub(crate) fn write(mut self, html: &str) -> Result<()> {
        let written = self.file.write_all(html.as_bytes());
        written
            .and_then(|()| self.file.finish())
            .with_context(|| format!("cannot write {}", path_text(self.path)))
    }
}

/// The width of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Width {
    /// A column of the page.
    Column,
    /// The whole page, for tables.
    Whole,
}

/// A page under construction.
#[derive(Debug)]
pub(crate) struct Page<'t> {
    title: &'t str,
    about: String,
    facts: Vec<(String, &'static str)>,
    sections: Vec<Markup>,
}

impl<'t> Page<'t> {
    /// Starts a page with a title, a line below it, and the main numbers with their names.
    pub(crate) fn new(title: &'t str, about: String, facts: Vec<(String, &'static str)>) -> Self {
        Self {
            title,
            about,
            facts,
            sections: Vec::new(),
        }
    }

    /// Adds a section: a heading, a line below it, and charts or tables.
    pub(crate) fn section(&mut self, heading: &str, about: &str, width: Width, content: &Markup) {
        let class = (width == Width::Whole).then_some("wide");
        self.sections.push(html! {
            section class=[class] {
                h2 { (Plain(heading)) }
                p { (Plain(about)) }
                (content)
            }
        });
    }

    /// Returns the whole page.
    pub(crate) fn finish(self) -> String {
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width,initial-scale=1";
                    meta http-equiv="Content-Security-Policy" content=(SECURITY);
                    title { (Plain(self.title)) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    h1 { (Plain(self.title)) }
                    p { (Plain(&self.about)) }
                    div class="facts" {
                        @for (number, name) in &self.facts {
                            div { b { (Plain(number)) } span { (Plain(name)) } }
                        }
                    }
                    main {
                        @for section in &self.sections { (section) }
                    }
                }
            }
        };
        page.into_string()
    }
}

/// Returns a table with a head and rows of cells. Columns of numbers, and of `-` for missing ones, are aligned to the right.
pub(crate) fn table(head: &[&str], rows: &[Vec<String>]) -> Markup {
    let is_text = |column: usize| {
        let mut cells = rows.iter().filter_map(|row| row.get(column));
        cells.any(|cell| !cell.starts_with(|c: char| c.is_ascii_digit() || c == '-'))
    };
    let classes: Vec<Option<&str>> = (0..head.len())
        .map(|column| is_text(column).then_some("text"))
        .collect();
    html! {
        div class="scroll" {
            table {
                thead {
                    tr {
                        @for (cell, class) in head.iter().zip(&classes) {
                            th scope="col" class=[class] { (Plain(cell)) }
                        }
                    }
                }
                tbody {
                    @for row in rows {
                        tr {
                            @for (cell, class) in row.iter().zip(&classes) {
                                td class=[class] { (Plain(cell)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        let facts = vec![("<1>".to_owned(), "<2>")];
        let mut page = Page::new("<b>", "<i>".to_owned(), facts);
        let content = table(&["<x>"], &[vec!["<y>".to_owned()]]);
        page.section("<h>", "<p>", Width::Whole, &content);
        let html = page.finish();
        // The page itself has `<b>` before numbers, but never before a tag.
        for bad in ["<b><", "<i>", "<1>", "<2>", "<h>", "<x>", "<y>"] {
            assert!(!html.contains(bad), "{bad}");
        }
        assert!(
            !html.contains("http://") && !html.contains("https://") && !html.contains("<script")
        );
    }
}
