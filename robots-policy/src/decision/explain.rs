//! Explanations of decisions, for people.

use super::Decision;
use super::reason::Field;
use crate::profile::Profile;
use crate::text::printable;
use std::fmt;

impl Decision {
    /// Returns the decision for people: a line for each field with its reasons below it, then the warnings.
    pub fn explain(&self) -> Explanation<'_> {
        Explanation { decision: self }
    }
}

/// A decision as text for people. See [`Decision::explain`].
#[derive(Debug, Clone, Copy)]
pub struct Explanation<'a> {
    decision: &'a Decision,
}

impl fmt::Display for Explanation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decision = self.decision;
        write!(f, "{} for {}", printable(&decision.url), decision.agent)?;
        if decision.profile != Profile::NEUTRAL {
            write!(f, " under {}", decision.profile)?;
        }
        writeln!(f)?;
        for &field in Field::ALL {
            let value = field.text(decision);
            writeln!(f, "  {field:<17} {value}")?;
            for reason in decision.reasons_for(field) {
                writeln!(
                    f,
                    "    {:<9} {}: {}",
                    reason.effect,
                    reason.source,
                    printable(&reason.text)
                )?;
            }
        }
        for warning in &decision.warnings {
            writeln!(f, "  warning: {warning}")?;
        }
        Ok(())
    }
}
