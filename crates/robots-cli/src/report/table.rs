//! Tables of a page.

use super::plain::Plain;
use maud::{Markup, html};

/// A cell of a table.
#[derive(Debug, Clone)]
pub(crate) enum Cell {
    /// A name, or another text.
    Text(String),
    /// A name that links to its explanation.
    Link(String, String),
    /// A number, as text. It is aligned to the right.
    Number(String),
}

impl Cell {
    fn class(&self) -> Option<&'static str> {
        matches!(self, Self::Number(_)).then_some("number")
    }

    fn content(&self) -> Markup {
        match self {
            Self::Text(text) | Self::Number(text) => html! { (Plain(text)) },
            Self::Link(text, url) => html! { a href=(Plain(url)) { (Plain(text)) } },
        }
    }
}

/// Returns a table. Its caption names it, also to those who cannot see it; the first cell of each row is the name of the row. A
/// keyboard can scroll it where it is wider than the page.
pub(crate) fn table(caption: &str, head: &[&str], rows: &[Vec<Cell>]) -> Markup {
    let first = rows.first().map_or(&[][..], Vec::as_slice);
    html! {
        div class="scroll" role="region" aria-label=(Plain(caption)) tabindex="0" {
            table {
                caption { (Plain(caption)) }
                thead {
                    tr {
                        @for (column, name) in head.iter().enumerate() {
                            th scope="col" class=[first.get(column).and_then(Cell::class)] { (Plain(name)) }
                        }
                    }
                }
                tbody {
                    @for row in rows {
                        tr {
                            @for (column, cell) in row.iter().enumerate() {
                                @if column == 0 {
                                    th scope="row" class=[cell.class()] { (cell.content()) }
                                } @else {
                                    td class=[cell.class()] { (cell.content()) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Returns a table that is shown on request: the numbers of a chart. It is always printed.
pub(crate) fn details(caption: &str, head: &[&str], rows: &[Vec<Cell>]) -> Markup {
    html! {
        details {
            summary { "Table: " (Plain(caption)) }
            (table(caption, head, rows))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_a_name_a_focus_and_headers() {
        let row = vec![
            Cell::Link("<a>".to_owned(), "https://a.example/?\"&".to_owned()),
            Cell::Text("<b>".to_owned()),
            Cell::Number("1,000".to_owned()),
        ];
        let html = table("<c>", &["<d>", "e", "f"], &[row]).into_string();
        let start =
            "<div class=\"scroll\" role=\"region\" aria-label=\"&lt;c&gt;\" tabindex=\"0\">";
        assert!(html.starts_with(start), "{html}");
        for part in [
            "<caption>&lt;c&gt;</caption>",
            "<th scope=\"col\">&lt;d&gt;</th>",
            "<th scope=\"col\" class=\"number\">f</th>",
            "<th scope=\"row\"><a href=\"https://a.example/?&quot;&amp;\">&lt;a&gt;</a></th>",
            "<td>&lt;b&gt;</td><td class=\"number\">1,000</td>",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
        assert!(
            table("c", &["d"], &[])
                .into_string()
                .ends_with("</table></div>")
        );
    }
}
