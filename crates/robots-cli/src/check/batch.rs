//! `robots check --batch`: answers to many questions about many robots.txt files, in order.

use crate::answer_output;
use crate::observer::WarningPrinter;
use crate::terminal::counted;
use anyhow::{Result, bail};
use robots_pipeline::input::lines;
use robots_pipeline::json::write_line;
use robots_pipeline::robots::questions::{MAX_QUESTION_BYTES, RobotsAnswers, Unanswered};
use robots_pipeline::text::{path_text, with_causes};
use robots_txt::Dialect;
use serde_json::Value;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Answers each row, and reports the number of rows without an answer. Fails if no row has an answer and one has an error.
pub(crate) fn run(
    questions: &Path,
    archives: &[PathBuf],
    dialect: Option<Dialect>,
    name_alone: bool,
) -> Result<ExitCode> {
    let mut answers = RobotsAnswers::new(dialect).with_name_alone(name_alone);
    for archive in archives {
        if !answers.read_archive(archive, &WarningPrinter)? {
            bail!(
                "{}: neither a WARC nor an ARC file (plain or gzip)",
                path_text(archive)
            );
        }
    }
    let mut any_answered = false;
    let mut out = BufWriter::new(answer_output::stdout());
    let mut unanswered = 0_u64;
    let input = lines::open(questions)?;
    for line in lines::numbered(input, MAX_QUESTION_BYTES, path_text(questions)) {
        let (number, line) = line?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let row = match answers.answer(&line) {
            Ok(row) => {
                any_answered = true;
                row
            }
            Err(Unanswered { mut row, error, .. }) => {
                unanswered += 1;
                let error = format!("line {number}: {}", with_causes(&error));
                message!("error: {}: {error}", path_text(questions));
                for key in ["profile", "allowed", "line"] {
                    row.insert(key.to_owned(), Value::Null);
                }
                row.insert("error".to_owned(), Value::String(error));
                row
            }
        };
        write_line(&mut out, &row)?;
    }
    out.flush()?;
    if unanswered > 0 {
        notice!("{} without an answer", counted(unanswered, "question"));
    }
    Ok(if unanswered > 0 && !any_answered {
        ExitCode::from(2)
    } else {
        ExitCode::SUCCESS
    })
}
