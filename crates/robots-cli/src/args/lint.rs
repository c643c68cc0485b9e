//! The arguments of `robots lint`, `robots explain` and `robots lsp`.

use super::{ConfigArgs, ReportFormat};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use robots_lint::catalogue::{Selection, UnknownKind};
use robots_lint::{FindingKind, Severity};
use std::path::PathBuf;
use std::str::FromStr;

/// The options that exclude `--meta`, and with it those that need it: an option is not required where it is excluded.
const NOT_WITH_META: [&str; 3] = ["fix", "diff", "all_files"];

/// The options that exclude `--explain`, which reads no file.
const NOT_WITH_EXPLAIN: [&str; 17] = [
    "files",
    "level",
    "only",
    "ignore",
    "format",
    "fix",
    "diff",
    "sarif",
    "statistics",
    "all_files",
    "meta",
    "robots",
    "base",
    "now",
    "table",
    "config",
    "no_config",
];

/// Find mistakes in robots.txt files, pages and headers, and fix them
///
/// Each finding has a code, a severity and a place. --explain CODE describes a code.
///
/// Reads robots.txt files, the responses to /robots.txt in WARC and ARC files, and folders of both.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  robots lint robots.txt
  curl -s https://example.com/robots.txt | robots lint -
  robots lint --level note robots.txt
  robots lint --diff robots.txt
  robots lint --fix robots.txt
  robots lint --statistics robots.warc.gz
  robots lint --format concise sites/
  robots lint --format github robots.txt
  robots lint --sarif sites/ > lint.sarif
  robots lint --ignore R02,unknown-field --json robots.warc.gz
  robots lint --explain R014
  robots lint --meta crawl.warc.gz
  curl -si https://example.com/x | \\
      robots lint --meta --base https://example.com/x -

A fix makes other robots read the file as Google does, which accepts most misspelt lines. So a fix never changes a \
decision of Google. A finding with an uncertain meaning has no fix.

A comment in a robots.txt ignores a finding in its line or the next one, with a reason:
  # robots: ignore R037 -- the shop may come back

With --meta, the inputs are pages and their headers: HTML files, responses as `curl -i` prints them, archives, \
or folders of HTML files and archives. Some findings depend on robots.txt: it comes from --robots, or else from the archives.

Keys of each object of --json:
  file, url                  the file; the URL of a response in an archive, or
                             of a page with --base
  header                     true for a header line, false for one of the body
  line, column               1-based; the column in characters
  offset, length             in bytes, from 0
  code, name, severity       the kind of finding
  message, help, standard    the problem, what to do, and the source of the rule
  related_line               another line that the finding is about, or null
  edits                      the number of edits of the fix, 0 without one
  fix                        the edits (offset, length, text); null without a
                             fix, or with more than 1,000 edits
  findings_of_kind           the number of findings of the kind in the input,
                             of which up to 100 are listed

Exit codes:
  0  no finding of --level and above; or the kind was described
  1  findings
  2  an error, or an input could not be read; the others were linted

Damage in an archive is reported, and the rest of it is read.")]
#[allow(clippy::struct_excessive_bools, reason = "one for each flag")]
pub(crate) struct Lint {
    /// robots.txt files, folders, WARC or ARC files, or - for standard input
    #[arg(required_unless_present = "explain", value_name = "FILE", value_parser = super::input_file("download it, as with `curl -s URL | robots lint -`"))]
    pub(crate) files: Vec<PathBuf>,
    /// Describe this kind of finding, by code or name [default: list all]
    ///
    /// Shows the problem, its effect on robots, what to do, and the source of the rule.
    #[arg(long, value_name = "CODE", num_args = 0..=1, conflicts_with_all = NOT_WITH_EXPLAIN, value_parser = FindingKind::from_str, add = super::complete::finding_kinds())]
    #[allow(clippy::option_option, reason = "an option whose value is optional")]
    pub(crate) explain: Option<Option<FindingKind>>,
    /// Report findings of this severity and above [default: warning]
    #[arg(long, value_name = "SEVERITY", conflicts_with = "only", value_parser = severity())]
    pub(crate) level: Option<Severity>,
    /// Report only these kinds, by code, start of a code (R03) or name
    ///
    /// They are reported whatever their severity.
    #[arg(long, value_name = "CODE,...", value_delimiter = ',', value_parser = Kinds::from_str, add = super::complete::finding_kinds())]
    pub(crate) only: Vec<Kinds>,
    /// Leave out these kinds, by code, start of a code (R03) or name
    #[arg(long, value_name = "CODE,...", value_delimiter = ',', value_parser = Kinds::from_str, add = super::complete::finding_kinds())]
    pub(crate) ignore: Vec<Kinds>,
    /// Write findings in this format
    ///
    /// Editors read concise, CI systems github, gitlab and sarif. With github and gitlab, run the program where the
    /// repository is, so that paths are relative to it.
    #[arg(short, long, value_enum, default_value_t = ReportFormat::Full, value_name = "FORMAT")]
    pub(crate) format: ReportFormat,
    /// Apply available fixes in place
    ///
    /// A file from standard input is written to standard output.
    #[arg(long, conflicts_with_all = ["format", "json", "sarif", "statistics", "diff"])]
    pub(crate) fix: bool,
    /// Show the changes of --fix
    #[arg(long, conflicts_with_all = ["format", "json", "sarif", "statistics"])]
    pub(crate) diff: bool,
    /// Write a JSON object for each finding, like --format jsonl
    #[arg(long, conflicts_with_all = ["format", "sarif", "statistics"])]
    pub(crate) json: bool,
    /// Write a SARIF 2.1.0 log, like --format sarif
    #[arg(long, conflicts_with_all = ["format", "statistics"])]
    pub(crate) sarif: bool,
    /// Count the findings of each kind, and the files with them
    #[arg(long, conflicts_with = "format")]
    pub(crate) statistics: bool,
    #[command(flatten)]
    pub(crate) folder_files: super::FolderFilesArg,
    /// Lint pages and their headers instead of robots.txt files
    #[arg(long, conflicts_with_all = NOT_WITH_META)]
    pub(crate) meta: bool,
    /// With --meta: take robots.txt from this input; repeatable
    ///
    /// A file, a folder or an archive; a file is for all hosts, or for one as HOST=FILE. The default is the robots.txt files in
    /// the archives that are linted.
    #[arg(long, value_name = "[HOST=]FILE", requires = "meta", conflicts_with_all = NOT_WITH_META, value_parser = super::robots_source("download it first"))]
    pub(crate) robots: Vec<super::RobotsSource>,
    /// With --meta: set the URL of a page in a file, or of its folder
    #[arg(long, value_name = "URL", requires = "meta", conflicts_with_all = NOT_WITH_META, value_parser = super::base)]
    pub(crate) base: Option<url::Url>,
    /// With --meta: compare dates with TIME, such as 2026-11-20T00:00:00Z
    ///
    /// The default is the time at which a page was captured, or the present.
    #[arg(long, value_name = "TIME", requires = "meta", conflicts_with_all = NOT_WITH_META, value_parser = super::moment)]
    pub(crate) now: Option<robots_meta::Timestamp>,
    #[command(flatten)]
    pub(crate) known: super::AgentTableArg,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
}

impl Lint {
    /// Returns the kinds of findings to report.
    pub(crate) fn selection(&self) -> Selection {
        let all = |lists: &[Kinds]| lists.iter().flat_map(|list| list.0.clone()).collect();
        Selection::of_level(self.level.unwrap_or(Severity::Warning))
            .with_only(all(&self.only))
            .without(all(&self.ignore))
    }

    /// Returns the format of the findings.
    pub(crate) fn format(&self) -> ReportFormat {
        if self.json {
            ReportFormat::Jsonl
        } else if self.sarif {
            ReportFormat::Sarif
        } else {
            self.format
        }
    }
}

/// The kinds that a code, the start of a code or a name selects.
#[derive(Debug, Clone)]
pub(crate) struct Kinds(pub(crate) Vec<FindingKind>);

impl FromStr for Kinds {
    type Err = UnknownKind;

    fn from_str(text: &str) -> Result<Self, UnknownKind> {
        FindingKind::matching(text).map(Self)
    }
}

/// Returns the parser of a severity.
fn severity() -> impl TypedValueParser<Value = Severity> {
    let helps = ["All findings", "Warnings and errors", "Only errors"];
    let values = Severity::ALL.iter().zip(helps);
    let values = values.map(|(severity, help)| PossibleValue::new(severity.name()).help(help));
    PossibleValuesParser::new(values).try_map(|name| name.parse::<Severity>())
}

/// Describe a kind of finding: another name of `robots lint --explain`
///
/// Without a code, lists all kinds; with --format markdown, writes the explanations of all.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  robots explain R014
  robots explain shadowed-rule
  robots explain --json R014
  robots explain --format markdown R014 > R014.md
  robots explain

Exit codes:
  0  the kind was described
  2  the code is unknown")]
pub(crate) struct Explain {
    /// A code or a name [default: list all]
    #[arg(value_name = "CODE", value_parser = FindingKind::from_str, add = super::complete::finding_kinds())]
    pub(crate) kind: Option<FindingKind>,
    /// Write in this format
    #[arg(short, long, value_enum, default_value_t = ExplanationFormat::Text, value_name = "FORMAT")]
    format: ExplanationFormat,
    /// Write JSON, like --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl Explain {
    pub(crate) fn format(&self) -> ExplanationFormat {
        if self.json {
            ExplanationFormat::Json
        } else {
            self.format
        }
    }
}

/// A format of explanations, as an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExplanationFormat {
    /// Text in the width of the terminal, or of 80 columns
    Text,
    /// The source of the text
    Markdown,
    /// JSON: one object, or an array of all
    Json,
}

/// Serve editors: findings, fixes and explanations of robots.txt
///
/// An editor starts this command as a language server (LSP 3.17), and talks to it over standard input and output. docs/tools.md
/// has set-ups for Neovim, Helix, VS Code and Emacs.
///
/// The server shows the findings of `robots lint` with their fixes, explains findings, fields, robots and rules, completes
/// fields, names of robots and paths, and lists groups. Findings in HTML pages are shown without fixes.
///
/// The robots.toml in the folder of a file, or in the next one above it, sets the level and the kinds to leave out.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  robots lsp
  nvim +'lua vim.lsp.start({cmd = {\"robots\", \"lsp\"}})' robots.txt

Exit codes:
  0  the editor ended the session
  1  the editor went away without ending the session
  2  the input is malformed")]
pub(crate) struct Lsp {
    /// Use standard input and output, as always; some editors add this
    #[arg(long = "stdio", display_order = 1)]
    _stdio: bool,
}
