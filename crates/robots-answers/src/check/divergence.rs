//! The paths on which readings of a file differ.

use super::reading::Reading;
use crate::json::{add, path_verdict};
use robots_txt::analysis::{Divergence, Divergences};
use serde_json::{Value, json};

/// Returns the paths on which readings differ for a robot, or one answer without a path if the search reached its limit and
/// found none. The divergences are those of the dialects of the readings.
pub fn divergence_answers<'a>(
    agent: &'a str,
    readings: &'a [Reading],
    divergences: &'a Divergences,
) -> impl Iterator<Item = Value> {
    let is_complete = divergences.is_complete();
    let no_path = (divergences.is_empty() && !is_complete).then_some(None);
    let paths = divergences.iter().map(Some).chain(no_path);
    paths.map(move |divergence| {
        let verdicts = divergence.map_or(&[][..], Divergence::verdicts).iter();
        let answers = verdicts.zip(readings).map(|(verdict, reading)| {
            let mut answer = json!({"dialect": reading.name()});
            add(&mut answer, path_verdict(verdict));
            answer
        });
        json!({
            "agent": agent,
            "path": divergence.map(Divergence::path),
            "answers": answers.collect::<Vec<_>>(),
            "complete": is_complete,
        })
    })
}
