//! Decisions as lines for people: on a terminal in its width and with colours, elsewhere plain.

use super::{RowContext, Sink};
use crate::text::printable;
use anstyle::{AnsiColor, Style};
use robots_policy::decision::{Field, PageLayer};
use robots_policy::{Decision, Fetch, Index, Permission};
use std::fmt;
use std::io::{self, Write};

/// The indent of what follows a row in lines of its own: reasons, and what does not fit in the line of the row.
const INDENT: usize = 4;

/// The width of the column with the robot, in columns.
const ROBOT_WIDTH: usize = 26;

/// The layout of a table. By default, it is for files and other programs: without styles, and a line for each row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct TableLayout {
    /// The width of the terminal, in columns. Text after the URL that does not fit is wrapped at words, and with several
    /// robots, each URL is above the rows about it. Without a width, each row is a line.
    pub width: Option<usize>,
    /// Whether values have colours.
    pub has_styles: bool,
}

impl TableLayout {
    /// Returns the layout for a terminal of this width.
    pub fn terminal(width: Option<usize>, has_styles: bool) -> Self {
        Self { width, has_styles }
    }
}

pub(super) struct Table<W> {
    writer: W,
    names_robots: bool,
    /// Whether all reasons follow each line.
    explains: bool,
    layout: TableLayout,
    /// Whether the names of the columns are to be written.
    needs_heading: bool,
    /// The URL above the last rows, if URLs are above rows.
    url: Option<String>,
}

impl<W: Write> Table<W> {
    pub(super) fn new(
        writer: W,
        names_robots: bool,
        explains: bool,
        layout: TableLayout,
        is_new: bool,
    ) -> Self {
        Self {
            writer,
            names_robots,
            explains,
            layout,
            needs_heading: is_new,
            url: None,
        }
    }

    /// Returns whether the URL is above the rows about it.
    fn groups_by_url(&self) -> bool {
        self.names_robots && self.layout.width.is_some()
    }

    fn write_heading(&mut self) -> io::Result<()> {
        if !std::mem::replace(&mut self.needs_heading, false) {
            return Ok(());
        }
        let robot = if self.names_robots {
            format!("{:<ROBOT_WIDTH$} ", "robot")
        } else {
            String::new()
        };
        let columns = if self.groups_by_url() {
            "fetch     index     follow   archive  train"
        } else {
            "fetch     index     follow   archive  train    url"
        };
        writeln!(self.writer, "{robot}{columns}")
    }

    /// Returns whether texts fit in the line of a row, which ends at `column` before them.
    fn has_room(&self, column: usize, rest: &[(Style, String)]) -> bool {
        let end = rest
            .iter()
            .fold(column, |end, (_, text)| end + 2 + text.chars().count());
        self.layout.width.is_none_or(|width| end <= width)
    }

    /// Writes texts after the start of a row, which ends at `column`. Those that do not fit are in lines of their own.
    fn write_rest(&mut self, column: usize, rest: &[(Style, String)]) -> io::Result<()> {
        let styled = self.layout.has_styles;
        let Some(width) = self.layout.width.filter(|_| !self.has_room(column, rest)) else {
            for (style, text) in rest {
                write!(self.writer, "  {}", Styled(styled.then_some(*style), text))?;
            }
            return writeln!(self.writer);
        };
        let mut column = width;
        for (style, text) in rest {
            // The words of the text that are in the present line.
            let mut words = String::new();
            for word in text.split(' ') {
                let length = word.chars().count();
                column += 1 + length;
                if column > width {
                    write!(self.writer, "{}", Styled(styled.then_some(*style), &words))?;
                    words.clear();
                    write!(self.writer, "\n{:INDENT$}", "")?;
                    column = INDENT + length;
                } else if words.is_empty() {
                    write!(self.writer, " ")?;
                } else {
                    words.push(' ');
                }
                words.push_str(word);
            }
            write!(self.writer, "{}", Styled(styled.then_some(*style), &words))?;
        }
        writeln!(self.writer)
    }
}

/// A text with a style, if there is one. A width pads the text.
struct Styled<T>(Option<Style>, T);

impl<T: AsRef<str>> fmt::Display for Styled<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(style, text) = self;
        let style = style
            .filter(|_| !text.as_ref().is_empty())
            .unwrap_or_default();
        write!(f, "{style}")?;
        f.pad(text.as_ref())?;
        write!(f, "{style:#}")
    }
}

/// Returns the style of a value of a decision.
fn style_of(value: &str) -> Style {
    let color = match value {
        "allow" | "yes" => AnsiColor::Green,
        "disallow" | "no" => AnsiColor::Red,
        _ => AnsiColor::Yellow,
    };
    color.on_default()
}

impl<W: Write> Sink for Table<W> {
    fn write(&mut self, row: &RowContext<'_>, decision: &Decision) -> io::Result<()> {
        self.write_heading()?;
        let groups_by_url = self.groups_by_url();
        let url = printable(&decision.url);
        if groups_by_url && self.url.as_deref() != Some(&*url) {
            writeln!(self.writer, "{url}")?;
            self.url = Some(url.clone().into_owned());
        }
        // The width of the five values, with the spaces between them.
        let mut column = 46_usize;
        if self.names_robots {
            let robot = format!("{} ({})", decision.agent, decision.profile);
            let robot = format!("{:<ROBOT_WIDTH$} ", printable(&robot));
            write!(self.writer, "{robot}")?;
            column += robot.chars().count();
        }
        let mut rest = Vec::new();
        if !row.differs.is_empty() {
            let fields: Vec<&str> = row.differs.iter().map(|field| field.name()).collect();
            rest.push((
                Style::new().bold(),
                format!("differs in {}", fields.join(", ")),
            ));
        }
        let why = headline(decision).filter(|_| !self.explains);
        rest.extend(why.map(|why| (Style::new().dimmed(), format!("({})", printable(&why)))));
        let warning = match decision.warnings.len() {
            0 => None,
            1 => Some("! 1 warning".to_owned()),
            count => Some(format!("! {count} warnings")),
        };
        rest.extend(warning.map(|warning| (AnsiColor::Yellow.on_default(), warning)));
        // Nothing follows the last value in its line.
        let is_last = groups_by_url && (rest.is_empty() || !self.has_room(column, &rest));
        let train_width = if is_last { 0 } else { 8 };
        let style = |value| Styled(self.layout.has_styles.then(|| style_of(value)), value);
        write!(
            self.writer,
            "{:<9} {:<9} {:<8} {:<8} {:<train_width$}",
            style(decision.fetch.name()),
            style(decision.index.name()),
            style(decision.follow.name()),
            style(decision.archive.name()),
            style(decision.may_train.name()),
        )?;
        if !groups_by_url {
            write!(self.writer, " {url}")?;
            column += 1 + url.chars().count();
        }
        self.write_rest(column, &rest)?;
        if self.explains {
            let explained = decision.explain().to_string();
            // The first line is the URL, with the robot.
            for line in explained.lines().skip(1) {
                writeln!(self.writer, "{:INDENT$}{}", "", printable(line))?;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Returns the most important reason: that of the first prohibition in this order, or else of an unknown value.
fn headline(decision: &Decision) -> Option<String> {
    let no = Permission::No;
    let fields = [
        (
            matches!(decision.fetch, Fetch::Disallow | Fetch::Defer),
            Field::Fetch,
        ),
        (decision.index == Index::No, Field::Index),
        (decision.follow == no, Field::Follow),
        (decision.archive == no, Field::Archive),
        (decision.may_train == no, Field::MayTrain),
        // The status of the response, which is not 2xx, leaves open whether the page may be indexed.
        (
            decision.page_layer == PageLayer::Absent && decision.index == Index::Unknown,
            Field::PageLayer,
        ),
        (decision.fetch == Fetch::Unknown, Field::Fetch),
    ];
    let (_, field) = fields.into_iter().find(|(decides, _)| *decides)?;
    let reason = decision.deciding_reason(field)?;
    Some(format!("{}: {}", reason.source, reason.text))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failure here fails the test")]
mod tests {
    use super::*;
    use robots_policy::{Policy, Profile};

    /// Returns a table of the decisions about two pages for two robots, or for one.
    fn table(robots: usize, layout: TableLayout) -> String {
        let mut text = Vec::new();
        let mut table = Table::new(&mut text, robots > 1, false, layout, true);
        let profiles: [Profile; 2] = ["google", "bing"].map(|name| name.parse().unwrap());
        for (url, html) in [
            ("https://a.example/", "<meta name=robots content=no-index>"),
            (
                "https://a.example/second-page",
                "<meta name=robots content='noindex, no-follow, noarchiv'>",
            ),
        ] {
            for profile in profiles.iter().take(robots) {
                let policy = Policy::for_robot(profile, profile.robot(profile.agent()));
                let decision = policy.decide(url, html);
                table
                    .write(&RowContext::new("", None, None), &decision)
                    .unwrap();
            }
        }
        drop(table);
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn a_row_is_a_line_without_a_terminal() {
        let expected = "\
fetch     index     follow   archive  train    url
unknown   unknown   unknown  unknown  unknown  https://a.example/  (robots.txt: robots.txt is not known)  ! 1 warning
unknown   no        unknown  unknown  unknown  https://a.example/second-page  (META at byte 0: noindex)  ! 2 warnings
";
        assert_eq!(table(1, TableLayout::default()), expected);
        let robots = table(2, TableLayout::default());
        assert_eq!(robots.lines().count(), 5);
        assert!(!robots.contains('\u{1b}'));
    }

    #[test]
    fn rows_fit_a_terminal() {
        let expected = "\
fetch     index     follow   archive  train    url
unknown   unknown   unknown  unknown  unknown  https://a.example/
    (robots.txt: robots.txt is not known) ! 1 warning
unknown   no        unknown  unknown  unknown  https://a.example/second-page
    (META at byte 0: noindex) ! 2 warnings
";
        assert_eq!(table(1, TableLayout::terminal(Some(79), false)), expected);
        let robots = table(2, TableLayout::terminal(Some(79), false));
        let expected = "\
robot                      fetch     index     follow   archive  train
https://a.example/
Googlebot (google)         unknown   unknown   unknown  unknown  unknown
    (robots.txt: robots.txt is not known) ! 1 warning
";
        assert!(robots.starts_with(expected), "{robots}");
        assert_eq!(robots.matches("https://").count(), 2, "{robots}");
        for width in [0, 1, 60, 79, 200] {
            let words = |text: &str| {
                text.split_whitespace()
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            };
            let wrapped = table(1, TableLayout::terminal(Some(width), false));
            assert_eq!(words(&wrapped), words(&table(1, TableLayout::default())));
        }
    }

    #[test]
    fn values_have_colours_on_request() {
        let narrow = table(1, TableLayout::terminal(Some(79), true));
        let rest = "\n    \u{1b}[2m(robots.txt: robots.txt is not known)\u{1b}[0m \u{1b}[33m! 1 warning\u{1b}[0m\n";
        assert!(narrow.contains(rest), "{narrow:?}");
        let styled = table(1, TableLayout::terminal(None, true));
        for part in [
            "\u{1b}[33munknown  \u{1b}[0m \u{1b}[33munknown  \u{1b}[0m",
            "\u{1b}[31mno       \u{1b}[0m",
            "  \u{1b}[33m! 1 warning\u{1b}[0m\n",
        ] {
            assert!(styled.contains(part), "{part:?} {styled:?}");
        }
    }
}
