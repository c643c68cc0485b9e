//! The HTML report of a survey.

use super::baseline::metrics;
use super::facts::{Agent, Survey};
use super::text::SIZES;
use crate::report::chart::{Bar, bars, columns, curve, heat, number};
use crate::report::page::{Page, Width, table};
use crate::statistics::distribution::{Facts, Step};
use crate::statistics::share::{fraction, share};
use crate::terminal::counted;
use maud::html;

/// The maximum number of bars in a chart. Some charts and tables have up to twice as many rows.
const MAX_BARS: usize = 15;

/// Returns the report as a page; with a baseline, charts and a section show the differences.
pub(super) fn page(survey: &Survey, baseline: Option<&Survey>) -> String {
    let robots = &survey.robots;
    let about = format!(
        "Made by {}; robots as of {}; dialect {}. Shares are of the files that are not HTML pages.",
        survey.program, survey.robots_as_of, survey.dialect
    );
    let facts = vec![
        (survey.all_responses().to_string(), "responses"),
        (robots.files.to_string(), "robots.txt files"),
        (robots.html.to_string(), "HTML pages among them"),
        (robots.comments_alone.to_string(), "with comments alone"),
        (
            (robots.agents.len() as u64)
                .saturating_add(robots.agents_left_out)
                .to_string(),
            "robots named",
        ),
        (survey.pages.count.to_string(), "pages"),
    ];
    let mut page = Page::new("A survey of robots.txt", about, facts);
    responses_section(&mut page, survey, baseline);
    sizes_section(&mut page, survey);
    errors_section(&mut page, survey, baseline);
    agents_sections(&mut page, survey);
    signals_section(&mut page, survey);
    pages_section(&mut page, survey);
    if let Some(baseline) = baseline {
        compared_section(&mut page, survey, baseline);
    }
    if !survey.approximate.is_empty() {
        page.section(
            "Approximate counts",
            &survey.approximate.join(". "),
            Width::Whole,
            &html! {},
        );
    }
    page.finish()
}

/// Adds the number of responses of each class.
fn responses_section(page: &mut Page<'_>, survey: &Survey, baseline: Option<&Survey>) {
    let all = survey.all_responses();
    let rows: Vec<Bar> = survey
        .responses
        .iter()
        .map(|(class, count)| Bar {
            label: class.clone(),
            value: fraction(*count, all),
            text: format!("{} ({})", count, share(*count, all)),
            before: baseline.map(|before| {
                let count = before.responses.get(class).copied().unwrap_or_default();
                fraction(count, before.all_responses())
            }),
        })
        .collect();
    let chart = bars("Responses by class of status", &rows);
    page.section(
        "Responses",
        "The responses of servers to a request for /robots.txt.",
        Width::Column,
        &chart,
    );
}

/// Adds WebWatch's figures A3-2 (lines), A3-3 (directives of a file) and A3-4 (directives of a User-agent), and other sizes.
fn sizes_section(page: &mut Page<'_>, survey: &Survey) {
    let sizes = &survey.robots.sizes;
    let none = Facts::default();
    let of = |name: &str| sizes.get(name).unwrap_or(&none);
    let rows: Vec<Vec<String>> = SIZES
        .iter()
        .map(|name| {
            let facts = of(name);
            let numbers = [
                facts.mode,
                facts.min,
                facts.median,
                facts.p90,
                facts.p99,
                facts.max,
            ];
            let mut row = vec![name.replace('_', " "), format!("{:.1}", facts.mean)];
            row.extend(numbers.map(|number| number.to_string()));
            row
        })
        .collect();
    let head = [
        "number", "mean", "mode", "minimum", "median", "p90", "p99", "maximum",
    ];
    page.section(
        "Sizes",
        "Numbers per file; in the last three rows, per User-agent line. Unparsed lines are comments and blank lines.",
        Width::Whole,
        &table(&head, &rows),
    );
    let about = |facts: &Facts, source: &str| {
        let (mean, mode, median) = (number(facts.mean), facts.mode, facts.median);
        format!("Mean {mean}, mode {mode}, median {median}. {source}")
    };
    for (name, heading, source) in [
        ("bytes", "Bytes", "WebWatch's mean was about 427 (1997)."),
        ("lines", "Lines", "After WebWatch's figure A3-2 (1997)."),
    ] {
        let facts = of(name);
        let chart = curve(
            heading,
            &format!("{name} of a file (logarithmic)"),
            &facts.points,
        );
        page.section(heading, &about(facts, source), Width::Column, &chart);
    }
    for (name, heading, source) in [
        (
            "directives",
            "Directives of a file",
            "After WebWatch's figure A3-3 (1997).",
        ),
        (
            "directives_of_agent",
            "Directives of a User-agent",
            "After WebWatch's figure A3-4 (1997).",
        ),
        (
            "user_agents",
            "User-agent fields of a file",
            "WebWatch's mean was just over 1 (1997).",
        ),
        (
            "disallows_of_agent",
            "Disallow fields of a User-agent",
            "WebWatch's mean was about 8 (1997), without any Allow.",
        ),
    ] {
        let facts = of(name);
        let chart = columns(heading, "up to this number", &steps(facts));
        page.section(heading, &about(facts, source), Width::Column, &chart);
    }
}

/// Returns a column for each step of the distribution, named by the greatest number of the step.
fn steps(facts: &Facts) -> Vec<(String, f64)> {
    #[expect(clippy::cast_precision_loss, reason = "a height in a chart")]
    let column = |step: &Step| (number(step.to as f64), step.count as f64);
    facts.steps.iter().map(column).collect()
}

/// Adds WebWatch's figure A3-5, and the most frequent findings.
fn errors_section(page: &mut Page<'_>, survey: &Survey, baseline: Option<&Survey>) {
    let text_files = survey.text_files();
    let rows: Vec<Bar> = survey
        .robots
        .webwatch_errors
        .iter()
        .map(|(label, count)| Bar {
            label: label.clone(),
            value: fraction(*count, text_files),
            text: format!("{count} ({})", share(*count, text_files)),
            before: baseline.map(|before| {
                let count = before.robots.webwatch_errors.get(label).copied();
                fraction(count.unwrap_or_default(), before.text_files())
            }),
        })
        .collect();
    let about = "The seven kinds of WebWatch's figure A3-5 (1997).";
    page.section(
        "Errors",
        about,
        Width::Column,
        &bars("Errors by kind", &rows),
    );
    let mut findings: Vec<_> = survey.robots.findings.iter().collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.files));
    let errors = survey
        .robots
        .findings
        .iter()
        .filter(|finding| finding.is_error());
    let about = format!(
        "Findings of robots lint, by files. {} of these kinds are errors.",
        errors.count()
    );
    let rows: Vec<Bar> = findings
        .iter()
        .take(MAX_BARS)
        .map(|finding| Bar {
            label: format!("{} {}", finding.code, finding.name),
            value: fraction(finding.files, text_files),
            text: format!("{} ({})", finding.files, share(finding.files, text_files)),
            before: baseline.map(|before| {
                let files = before
                    .finding(&finding.code)
                    .map_or(0, |finding| finding.files);
                fraction(files, before.text_files())
            }),
        })
        .collect();
    page.section(
        "Findings",
        &about,
        Width::Column,
        &bars("Findings by kind", &rows),
    );
}

/// Adds the named robots, and how much is disallowed to the known robots: those for AI in a section of their own.
fn agents_sections(page: &mut Page<'_>, survey: &Survey) {
    let text_files = survey.text_files();
    let named: Vec<Bar> = survey
        .robots
        .agents
        .iter()
        .take(2 * MAX_BARS)
        .map(|agent| Bar {
            label: agent.name.clone(),
            value: fraction(agent.files, text_files),
            text: format!("{} ({})", agent.files, share(agent.files, text_files)),
            before: None,
        })
        .collect();
    bars_section(
        page,
        "Named robots",
        "The 30 robots that the most files name.",
        &named,
    );
    let shares = |agent: &Agent| {
        let files = agent.with_known_restriction();
        let parts = [agent.none, agent.some, agent.all_except, agent.all];
        (
            agent.name.clone(),
            parts.map(|part| fraction(part, files)).to_vec(),
        )
    };
    let columns = ["none", "some", "all but some", "all"];
    let mut known: Vec<&Agent> = survey.robots.known_agents.iter().collect();
    // First `*`, then the robots that the most files name.
    known.sort_by_key(|agent| std::cmp::Reverse((agent.name == "*", agent.files)));
    let others: Vec<_> = known
        .iter()
        .filter(|agent| !agent.ai)
        .take(MAX_BARS)
        .map(|agent| shares(agent))
        .collect();
    let ai: Vec<_> = known
        .iter()
        .filter(|agent| agent.ai)
        .take(2 * MAX_BARS)
        .map(|agent| shares(agent))
        .collect();
    let about = "The shares of files that disallow none, some, all but some or all of the site to a robot. Its own group applies; without one, that of another name that its vendor documents; or else that of *.";
    page.section(
        "How much is disallowed",
        about,
        Width::Column,
        &heat("Restrictions by robot", &columns, &others),
    );
    page.section(
        "How much is disallowed to AI",
        about,
        Width::Column,
        &heat("Restrictions by AI robot", &columns, &ai),
    );
}

/// Adds a section with bars, if there are any.
fn bars_section(page: &mut Page<'_>, heading: &str, about: &str, rows: &[Bar]) {
    if !rows.is_empty() {
        page.section(heading, about, Width::Column, &bars(heading, rows));
    }
}

/// Adds the known and unknown fields, the statements about AI, and the delays, if a file requests any.
fn signals_section(page: &mut Page<'_>, survey: &Survey) {
    let text_files = survey.text_files();
    let fields = &survey.robots.fields;
    let unknown = &survey.robots.unknown_fields;
    let bar = |name: &str, files: u64| Bar {
        label: name.to_owned(),
        value: fraction(files, text_files),
        text: format!("{files} ({})", share(files, text_files)),
        before: None,
    };
    let rows: Vec<Bar> = fields.iter().map(|row| bar(&row.name, row.files)).collect();
    bars_section(page, "Fields", "Files with each known field.", &rows);
    let rows: Vec<Bar> = unknown
        .iter()
        .take(MAX_BARS)
        .map(|row| bar(&row.name, row.files))
        .collect();
    bars_section(
        page,
        "Unknown fields",
        "The names that the most files have.",
        &rows,
    );
    let rows: Vec<Bar> = survey
        .robots
        .ai
        .iter()
        .map(|(statement, files)| bar(statement, *files))
        .collect();
    bars_section(
        page,
        "AI preferences",
        "Files with a statement about the use of content by AI.",
        &rows,
    );
    let delays = &survey.robots.crawl_delays;
    if delays.count == 0 {
        return;
    }
    let about = format!(
        "{} with a delay; the longest of each counts. Mean {:.1} s.",
        counted(delays.count, "file"),
        delays.mean
    );
    page.section(
        "Crawl-delay",
        &about,
        Width::Column,
        &curve("Crawl-delay", "seconds (logarithmic)", &delays.points),
    );
}

/// Adds the directives and links of pages, if there are pages.
fn pages_section(page: &mut Page<'_>, survey: &Survey) {
    let pages = &survey.pages;
    if pages.count == 0 {
        return;
    }
    let bar = |name: &str, count: u64| Bar {
        label: name.to_owned(),
        value: fraction(count, pages.count),
        text: format!("{count} ({})", share(count, pages.count)),
        before: None,
    };
    let rows = [
        bar("robots META", pages.with_robots_meta),
        bar("X-Robots-Tag", pages.with_x_robots_tag),
        bar("canonical", pages.with_canonical),
        bar("description", pages.with_description),
    ];
    bars_section(page, "Pages", "Pages with each of these.", &rows);
    for (heading, rows) in [
        ("Directives of METAs", &pages.meta_directives),
        ("Directives of headers", &pages.header_directives),
    ] {
        let rows: Vec<Bar> = rows
            .iter()
            .take(MAX_BARS)
            .map(|row| bar(&row.name, row.files))
            .collect();
        bars_section(page, heading, "Pages with each directive.", &rows);
    }
}

/// Adds the numbers that both surveys have, and that differ.
fn compared_section(page: &mut Page<'_>, survey: &Survey, baseline: &Survey) {
    let before = metrics(baseline);
    let rows: Vec<Vec<String>> = metrics(survey)
        .into_iter()
        .filter_map(|(name, now)| {
            let was = before.get(&name)?.text();
            (was != now.text()).then(|| vec![name, was, now.text()])
        })
        .collect();
    let about = "Differences from the baseline. In charts, the baseline is a line across the bar.";
    page.section(
        "Comparison",
        about,
        Width::Whole,
        &table(&["", "before", "now"], &rows),
    );
}
