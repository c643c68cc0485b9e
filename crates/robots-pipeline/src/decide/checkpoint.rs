//! The progress of a run: the input that it has reached, and the states from which it can be resumed.

use super::run::Run;
use crate::error::Error;
use crate::journal::Progress;
use crate::journal::position::Position;
use crate::sink::checksummed_file::WrittenPart;

impl Run<'_> {
    /// Moves on to an input: all pages of the inputs before it are decided.
    pub(super) fn reach(&mut self, input: usize) -> Result<(), Error> {
        while self.position.input < input {
            self.output.end_input()?;
            self.position = Position::beginning(self.position.input.saturating_add(1));
            if self.position.input < self.inputs.len() {
                self.output
                    .begin(self.position.input, WrittenPart::default())?;
            }
            self.checkpoint()?;
        }
        Ok(())
    }

    /// Records that the run can be resumed from here, and writes a line of the journal if one is due.
    pub(super) fn checkpoint(&mut self) -> Result<(), Error> {
        let Some(journal) = &mut self.journal else {
            return Ok(());
        };
        // With a format that cannot be appended to (Parquet, Arrow), only a run with a file for each input has a journal. It can
        // resume only at the beginning of an input, where a new file begins.
        let is_beginning = self.position == Position::beginning(self.position.input);
        if !is_beginning && !self.output.is_appendable() {
            return Ok(());
        }
        let progress = Progress {
            position: self.position,
            output: self.output.flush()?,
            summary: self.counter.checkpoint(),
        };
        if journal.is_due() {
            self.output.sync()?;
            journal.write(&progress)?;
        }
        self.resumable = Some(progress);
        Ok(())
    }

    /// Calls [`checkpoint`](Self::checkpoint) when a line of the journal is due.
    pub(super) fn checkpoint_if_due(&mut self) -> Result<(), Error> {
        match &self.journal {
            Some(journal) if journal.is_due() => self.checkpoint(),
            _ => Ok(()),
        }
    }
}
