//! An input with its findings, in the form that every report takes.

use robots_answers::lint::Linted;
use robots_lint::catalogue::Selection;
use robots_lint::{LintedPage, RobotsTxtLinter};
use robots_pipeline::input::documents::InputPath;
use robots_pipeline::input::robots_files::RobotsFile;
use robots_txt::RobotsTxt;

/// An input with its findings.
pub(super) struct LintedInput {
    /// The input, or the archive that has it.
    pub(super) file: InputPath,
    /// The URL of a response in an archive, or of a page with `--base`.
    pub(super) url: Option<String>,
    is_in_archive: bool,
    pub(super) linted: Linted,
    /// The whole robots.txt, of which only the start is linted if it is large; empty for a page.
    body: Vec<u8>,
    /// Whether it is a robots.txt on the disk, neither compressed nor in an archive.
    pub(super) is_rewritable: bool,
}

impl LintedInput {
    pub(super) fn of_robots(
        file: RobotsFile,
        linter: &RobotsTxtLinter,
        selection: &Selection,
    ) -> Self {
        let mut robots = RobotsTxt::parse(&file.body);
        if let Some(url) = &file.url {
            robots = robots.with_url(url);
        }
        let path = file.url.is_none().then_some(&*file.file.text);
        let findings = linter.lint_file(&robots, path);
        Self {
            linted: Linted::of_robots_txt(robots, findings, selection),
            file: file.file,
            is_in_archive: file.url.is_some(),
            url: file.url,
            body: file.body,
            is_rewritable: file.is_rewritable,
        }
    }

    pub(super) fn of_page(
        file: InputPath,
        is_in_archive: bool,
        page: LintedPage,
        selection: &Selection,
    ) -> Self {
        Self {
            file,
            is_in_archive,
            url: page.url().map(str::to_owned),
            linted: Linted::of_page(page, selection),
            body: Vec::new(),
            is_rewritable: false,
        }
    }

    /// Returns the name of the input: the URL of a response in an archive, or the file.
    pub(super) fn name(&self) -> &str {
        self.archived_url().unwrap_or(&self.file.text)
    }

    /// Returns the URL of a response in an archive.
    pub(super) fn archived_url(&self) -> Option<&str> {
        self.url.as_deref().filter(|_| self.is_in_archive)
    }

    /// Returns whether this is a file, not a response in an archive, that was linted as a robots.txt and is an HTML page.
    pub(super) fn is_page_file(&self) -> bool {
        let robots = self.linted.robots_txt();
        self.url.is_none() && robots.is_some_and(RobotsTxt::looks_like_html)
    }

    /// Returns a robots.txt, whole; `None` for a page.
    pub(super) fn robots_body(&self) -> Option<&[u8]> {
        self.linted.robots_txt().map(|_| &*self.body)
    }
}
