//! The page that charts and tables stand on.

use anyhow::{Context, Result};
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;

/// The style: two themes by what the reader's system asks for, one column on a phone.
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

/// A file for a page, made before the work is done: that it cannot be written is known then.
#[derive(Debug)]
pub(crate) struct NewPage<'p> {
    path: &'p Path,
    file: File,
}

impl<'p> NewPage<'p> {
    pub(crate) fn create(path: &'p Path) -> Result<Self> {
        let file = File::create(path);
        let file = file.with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self { path, file })
    }

    pub(crate) fn write(mut self, html: &str) -> Result<()> {
        let written = self.file.write_all(html.as_bytes());
        written.with_context(|| format!("cannot write {}", self.path.display()))
    }
}

/// A page in the making.
#[derive(Debug)]
pub(crate) struct Page {
    html: String,
}

impl Page {
    /// A page with a title, a line under it, and the numbers that matter most.
    pub(crate) fn new(title: &str, about: &str, facts: &[(String, &str)]) -> Self {
        let title = escaped(title);
        let mut html = format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';style-src 'unsafe-inline'\">\
             <title>{title}</title><style>{STYLE}</style></head><body><h1>{title}</h1><p>{}</p><div class=\"facts\">",
            escaped(about)
        );
        for (number, what) in facts {
            let _ = write!(
                html,
                "<div><b>{}</b><span>{}</span></div>",
                escaped(number),
                escaped(what)
            );
        }
        html.push_str("</div><main>\n");
        Self { html }
    }

    /// Adds a section: a heading, a line under it, and charts or tables. What has nothing to show says so.
    pub(crate) fn section(&mut self, heading: &str, about: &str, is_wide: bool, content: &str) {
        let class = if is_wide { " class=\"wide\"" } else { "" };
        let _ = writeln!(
            self.html,
            "<section{class}><h2>{}</h2><p>{}</p>{content}</section>",
            escaped(heading),
            escaped(about)
        );
    }

    /// The whole page.
    pub(crate) fn finish(mut self) -> String {
        self.html.push_str("</main></body></html>\n");
        self.html
    }
}

/// A table: what stands above the columns, and rows of cells. Columns of numbers stand to the right.
pub(crate) fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let is_text = |column: usize| {
        let mut cells = rows.iter().filter_map(|row| row.get(column));
        cells.any(|cell| !cell.starts_with(|c: char| c.is_ascii_digit() || c == '-'))
    };
    let classes: Vec<&str> = (0..head.len())
        .map(|column| {
            if is_text(column) {
                " class=\"text\""
            } else {
                ""
            }
        })
        .collect();
    let mut html = String::from("<div class=\"scroll\"><table><thead><tr>");
    for (cell, class) in head.iter().zip(&classes) {
        let _ = write!(html, "<th scope=\"col\"{class}>{}</th>", escaped(cell));
    }
    html.push_str("</tr></thead><tbody>");
    for row in rows {
        html.push_str("<tr>");
        for (cell, class) in row.iter().zip(&classes) {
            let _ = write!(html, "<td{class}>{}</td>", escaped(cell));
        }
        html.push_str("</tr>");
    }
    html.push_str("</tbody></table></div>");
    html
}

/// Text as it stands in HTML, in attributes too; control characters are left out.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c if c.is_control() => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(
            escaped("<a href='\"'>&\u{7}"),
            "&lt;a href=&#39;&quot;&#39;&gt;&amp;\u{fffd}"
        );
        let mut page = Page::new("<b>", "<i>", &[("<1>".to_owned(), "<2>")]);
        page.section(
            "<h>",
            "<p>",
            true,
            &table(&["<x>"], &[vec!["<y>".to_owned()]]),
        );
        let html = page.finish();
        for bad in ["<b><", "<i>", "<1>", "<2>", "<h>", "<x>", "<y>"] {
            assert!(!html.contains(bad), "{bad}");
        }
        assert!(
            !html.contains("http://") && !html.contains("https://") && !html.contains("<script")
        );
    }
}
