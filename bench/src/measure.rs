//! The measurement of times, in turns, and the rows of the table.

use std::time::Instant;

/// The number of times that everything is measured, in turns.
pub const ROUNDS: usize = 5;

/// Work that is measured together with others.
pub struct Runner<'a> {
    /// The number of times that the work is done in one run.
    count: usize,
    run: Box<dyn FnMut() + 'a>,
}

impl<'a> Runner<'a> {
    pub fn new(count: usize, run: impl FnMut() + 'a) -> Self {
        Self {
            count,
            run: Box::new(run),
        }
    }
}

/// The times for doing the work once, in nanoseconds.
#[derive(Clone, Copy)]
pub struct Times {
    pub least: f64,
    pub median: f64,
}

impl Times {
    /// Returns the text for a cell of the table.
    pub fn cell(self, unit: &str) -> String {
        format!("{} ({}) ns {unit}", figure(self.least), figure(self.median))
    }
}

/// Runs each in turns, [`ROUNDS`] times.
pub fn measure<const N: usize>(mut runners: [Runner<'_>; N]) -> [Times; N] {
    let mut rounds: [Vec<f64>; N] = std::array::from_fn(|_| Vec::with_capacity(ROUNDS));
    for _ in 0..ROUNDS {
        for (times, runner) in rounds.iter_mut().zip(&mut runners) {
            let start = Instant::now();
            (runner.run)();
            let time = start.elapsed();
            times.push(time.as_nanos() as f64 / runner.count as f64);
        }
    }
    rounds.map(|mut times| Times {
        least: times.iter().copied().fold(f64::INFINITY, f64::min),
        median: median(&mut times),
    })
}

/// Returns the median of the values, and sorts them.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Returns a number as text: with one decimal below 100, else without.
pub fn figure(value: f64) -> String {
    if value < 100.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.0}")
    }
}

/// A row of the table.
pub struct Row<'a> {
    pub row: &'a str,
    pub ours: String,
    pub peer: &'a str,
    pub theirs: String,
    /// The ratio of the peer's value to ours.
    pub ratio: Option<f64>,
    /// The target of the ratio or of our value.
    pub target: &'a str,
}

impl Row<'_> {
    pub fn print(&self) {
        let ratio = self
            .ratio
            .map_or_else(String::new, |ratio| format!("{ratio:.2}"));
        println!(
            "| {} | {} | {} | {} | {ratio} | {} |",
            self.row, self.ours, self.peer, self.theirs, self.target
        );
    }
}

/// Prints a row without a peer.
pub fn print_ours(row: &str, ours: String, target: &str) {
    Row {
        row,
        ours,
        peer: "",
        theirs: String::new(),
        ratio: None,
        target,
    }
    .print();
}

/// Prints a row of two times.
pub fn print_times(row: &str, unit: &str, ours: Times, peer: &str, theirs: Times, target: &str) {
    Row {
        row,
        ours: ours.cell(unit),
        peer,
        theirs: theirs.cell(unit),
        ratio: Some(theirs.least / ours.least),
        target,
    }
    .print();
}

/// Prints a row of two times in nanoseconds, each a median, mean or sum over many files.
pub fn print_figures(row: &str, unit: &str, ours: f64, peer: &str, theirs: f64, target: &str) {
    Row {
        row,
        ours: format!("{} ns {unit}", figure(ours)),
        peer,
        theirs: format!("{} ns {unit}", figure(theirs)),
        ratio: Some(theirs / ours),
        target,
    }
    .print();
}

/// Prints an explanation of the times, and the head of the table.
pub fn print_head() {
    println!("times: the least of {ROUNDS} rounds in turns (in brackets their median)\n");
    println!("| row | ours | peer | peer's | ratio to ours | target |");
    println!("| --- | --- | --- | --- | --- | --- |");
}
