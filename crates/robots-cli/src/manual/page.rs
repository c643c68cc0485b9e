//! Man pages, made from the definition of the command line.

use super::text::{Block, blocks};
use clap::Command;
use clap_mangen::Man;
use std::fmt::Write;
use std::io;

/// The first lines of a page after its title: words are not hyphenated, and lines not justified, so that a copied command is
/// valid.
const LAYOUT: &str = ".nh\n.ad l\n";

/// Returns the man page of a command. The texts after its options become the sections NOTES, EXIT STATUS and EXAMPLES.
pub(super) fn page(command: &Command) -> io::Result<Vec<u8>> {
    let source = format!("robots {}", env!("CARGO_PKG_VERSION"));
    let man = Man::new(command.clone()).source(source).manual("robots");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    page.extend_from_slice(LAYOUT.as_bytes());
    let mut sections = Vec::new();
    man.render_name_section(&mut sections)?;
    man.render_synopsis_section(&mut sections)?;
    man.render_description_section(&mut sections)?;
    man.render_options_section(&mut sections)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut sections)?;
    }
    let after = command.get_after_long_help().or(command.get_after_help());
    let after = after.map(ToString::to_string).unwrap_or_default();
    sections.extend_from_slice(Sections::of(&after).text().as_bytes());
    if command.get_version().is_some() {
        man.render_version_section(&mut sections)?;
    }
    // Each section begins with the definition of the apostrophe, which the title has.
    for line in sections.split_inclusive(|&byte| byte == b'\n') {
        if !line.starts_with(b".ie ") && !line.starts_with(b".el ") {
            page.extend_from_slice(line);
        }
    }
    Ok(page)
}

/// The sections of the texts after the options, in the markup of man pages.
#[derive(Debug, Default)]
struct Sections {
    notes: String,
    exit_status: String,
    examples: String,
}

impl Sections {
    fn of(text: &str) -> Self {
        let mut sections = Self::default();
        // The heading of the blocks, until an empty line.
        let mut heading: Option<String> = None;
        for block in blocks(text) {
            match block {
                Block::Gap => heading = None,
                Block::Paragraph(text) if text == "Examples:" || text.starts_with("Exit codes") => {
                    if text != "Examples:" && text != "Exit codes:" {
                        push_paragraph(&mut sections.exit_status, &text);
                    }
                    heading = Some(text);
                }
                block => {
                    let section = match heading.as_deref() {
                        Some("Examples:") => &mut sections.examples,
                        Some(_) => &mut sections.exit_status,
                        None => &mut sections.notes,
                    };
                    push(section, &block);
                }
            }
        }
        sections
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for (title, section) in [
            ("NOTES", &self.notes),
            ("EXIT STATUS", &self.exit_status),
            ("EXAMPLES", &self.examples),
        ] {
            if !section.is_empty() {
                // Writing to a string cannot fail.
                let _ = write!(text, ".SH \"{title}\"\n{section}");
            }
        }
        text
    }
}

/// Appends a block in the markup of man pages.
fn push(section: &mut String, block: &Block) {
    match block {
        Block::Gap => {}
        Block::Paragraph(text) => push_paragraph(section, text),
        Block::Verbatim(lines) => {
            section.push_str(".PP\n.RS 4\n.nf\n");
            for line in lines {
                section.push_str(&escaped(line));
                section.push('\n');
            }
            section.push_str(".fi\n.RE\n");
        }
        Block::List(entries) => {
            for entry in entries {
                let (term, text) = (escaped(&entry.term), escaped(&entry.text));
                // Writing to a string cannot fail.
                let _ = match entry.term.as_str() {
                    "" => writeln!(section, ".PP\n{text}"),
                    "-" => writeln!(section, ".IP \\(bu 2\n{text}"),
                    _ => writeln!(section, ".TP\n{term}\n{text}"),
                };
            }
        }
    }
}

fn push_paragraph(section: &mut String, text: &str) {
    section.push_str(".PP\n");
    section.push_str(&escaped(text));
    section.push('\n');
}

/// Returns a line of text that is shown as it is. Without escapes, some characters are shown as others that only look like
/// them, and a `.` at the start is a command.
fn escaped(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    if line.starts_with(['.', '\'']) {
        text.push_str("\\&");
    }
    for c in line.chars() {
        match c {
            '\\' => text.push_str("\\(rs"),
            '-' => text.push_str("\\-"),
            '\'' => text.push_str("\\(aq"),
            '`' => text.push_str("\\(ga"),
            '^' => text.push_str("\\(ha"),
            '~' => text.push_str("\\(ti"),
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_sections() {
        let text = "\
Examples:
  curl -s 'https://a.example/~x' | \\
      robots check - /`x`

A paragraph.
  key  its meaning
  .x   another

Exit codes:
  0  success";
        let expected = "\
.SH \"NOTES\"
.PP
A paragraph.
.TP
key
its meaning
.TP
\\&.x
another
.SH \"EXIT STATUS\"
.TP
0
success
.SH \"EXAMPLES\"
.PP
.RS 4
.nf
curl \\-s \\(aqhttps://a.example/\\(tix\\(aq | \\(rs
    robots check \\- /\\(gax\\(ga
.fi
.RE
";
        assert_eq!(Sections::of(text).text(), expected);
    }
}
