//! The paths on which readings of a file differ.

use super::reading::Reading;
use crate::path_verdict::PathVerdictAnswer;
use robots_txt::analysis::{Divergence, Divergences};
use serde::Serialize;

/// A path on which dialects differ. `robots check --help` describes the keys. If a search reached its limit and found no path, one
/// without a path says so.
#[derive(Debug, Serialize)]
pub struct DivergenceAnswer<'a> {
    agent: &'a str,
    path: Option<&'a str>,
    #[serde(rename = "answers")]
    verdicts: Vec<ReadingVerdictAnswer<'a>>,
    /// False if the search reached its limit.
    complete: bool,
}

/// The verdict under a [`Reading`].
#[derive(Debug, Serialize)]
struct ReadingVerdictAnswer<'a> {
    dialect: &'a str,
    #[serde(flatten)]
    verdict: PathVerdictAnswer<'a>,
}

/// Returns the paths on which readings differ for a robot, or one answer without a path if the search reached its limit and
/// found none. The divergences are those of the dialects of the readings.
pub fn divergence_answers<'a>(
    agent: &'a str,
    readings: impl IntoIterator<Item = &'a Reading>,
    divergences: &'a Divergences,
) -> impl Iterator<Item = DivergenceAnswer<'a>> {
    let readings: Vec<&Reading> = readings.into_iter().collect();
    let is_complete = divergences.is_complete();
    let no_path = (divergences.is_empty() && !is_complete).then_some(None);
    let paths = divergences.iter().map(Some).chain(no_path);
    paths.map(move |divergence| DivergenceAnswer::new(agent, &readings, divergence, is_complete))
}

impl<'a> DivergenceAnswer<'a> {
    fn new(
        agent: &'a str,
        readings: &[&'a Reading],
        divergence: Option<&'a Divergence>,
        complete: bool,
    ) -> Self {
        let verdicts = divergence.map_or(&[][..], Divergence::verdicts);
        Self {
            agent,
            path: divergence.map(Divergence::path),
            complete,
            verdicts: verdicts
                .iter()
                .zip(readings)
                .map(|(verdict, reading)| ReadingVerdictAnswer {
                    dialect: reading.name(),
                    verdict: PathVerdictAnswer::new(verdict),
                })
                .collect(),
        }
    }
}
