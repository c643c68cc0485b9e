//! Decisions as lines for people.

use super::columns::deciding;
use super::{RowContext, Sink};
use crate::text::printable;
use robots_policy::decision::{Field, PageLayer};
use robots_policy::{Decision, Fetch, Index, Permission};
use std::io::{self, Write};

/// The line above the first row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Heading {
    None,
    /// The names of the columns.
    OneRobot,
    /// The same, after a column with the robot.
    Robots,
}

pub(super) struct Table<W> {
    writer: W,
    names_robots: bool,
    /// Whether all reasons follow each line.
    explains: bool,
    heading: Heading,
}

impl<W: Write> Table<W> {
    pub(super) fn new(writer: W, names_robots: bool, explains: bool, is_new: bool) -> Self {
        Self {
            writer,
            names_robots,
            explains,
            heading: match (is_new, names_robots) {
                (false, _) => Heading::None,
                (true, false) => Heading::OneRobot,
                (true, true) => Heading::Robots,
            },
        }
    }
}

impl<W: Write> Sink for Table<W> {
    fn write(&mut self, _: &RowContext<'_>, decision: &Decision) -> io::Result<()> {
        let writer = &mut self.writer;
        let columns = "fetch     index     follow   archive  url";
        match std::mem::replace(&mut self.heading, Heading::None) {
            Heading::None => {}
            Heading::OneRobot => writeln!(writer, "{columns}")?,
            Heading::Robots => writeln!(writer, "{:<26} {columns}", "robot")?,
        }
        if self.names_robots {
            let robot = format!("{} ({})", decision.agent, decision.profile);
            write!(writer, "{:<26} ", printable(&robot))?;
        }
        write!(
            writer,
            "{:<9} {:<9} {:<8} {:<8} {}",
            decision.fetch,
            decision.index,
            decision.follow,
            decision.archive,
            printable(&decision.url)
        )?;
        if self.explains {
            writeln!(writer)?;
            let explained = decision.explain().to_string();
            // The first line is the URL, with the robot.
            for line in explained.lines().skip(1) {
                writeln!(writer, "    {}", printable(line))?;
            }
            return Ok(());
        }
        if let Some(why) = headline(decision) {
            write!(writer, "  ({})", printable(&why))?;
        }
        writeln!(writer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Returns the most important reason: that of the first prohibition in this order, or else of an unknown value.
fn headline(decision: &Decision) -> Option<String> {
    let field = match decision {
        Decision {
            fetch: Fetch::Disallow | Fetch::Defer,
            ..
        } => Field::Fetch,
        Decision {
            index: Index::No, ..
        } => Field::Index,
        Decision {
            follow: Permission::No,
            ..
        } => Field::Follow,
        Decision {
            archive: Permission::No,
            ..
        } => Field::Archive,
        // The status of the response, which is not 2xx, leaves open whether the page may be indexed.
        Decision {
            page_layer: PageLayer::Absent,
            index: Index::Unknown,
            ..
        } => Field::PageLayer,
        Decision {
            fetch: Fetch::Unknown,
            ..
        } => Field::Fetch,
        _ => return None,
    };
    let reason = deciding(decision, field)?;
    Some(format!("{}: {}", reason.source, reason.text))
}
