//! The argument for the format of findings and verdicts.

use clap::ValueEnum;

/// The format of findings or verdicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For people: each with its line of the file
    Full,
    /// One line each: `path:line:column: CODE message`
    Concise,
    /// Commands of GitHub Actions, which annotate files
    Github,
    /// A Code Quality report of GitLab
    Gitlab,
    /// A SARIF 2.1.0 log, which CI systems and editors read
    Sarif,
    /// JSON Lines: an object for each
    #[value(alias = "json")]
    Jsonl,
}

impl ReportFormat {
    /// Returns the name, as an argument.
    pub(crate) fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }
}
