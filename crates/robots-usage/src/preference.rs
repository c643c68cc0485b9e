//! A preference about one kind of use.

/// A preference about one kind of use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[allow(
    clippy::exhaustive_enums,
    reason = "a use is wanted, is not, or is not mentioned"
)]
pub enum Preference {
    /// The use is welcome.
    Allow,
    /// The use is not wanted.
    Disallow,
    /// Nothing is stated. No standard defines the consequence.
    #[default]
    Unknown,
}

impl Preference {
    /// Combines two statements about one use: any that disallows it wins, else any that allows it
    /// (docs/semantics.md, sections 4.1 and 8.6).
    ///
    /// ```
    /// use robots_usage::Preference;
    ///
    /// let file = Preference::Allow;
    /// assert_eq!(file.combine(Preference::Unknown), Preference::Allow);
    /// assert_eq!(file.combine(Preference::Disallow), Preference::Disallow);
    /// ```
    #[must_use]
    pub fn combine(self, other: Self) -> Self {
        match (self, other) {
            (Self::Disallow, _) | (_, Self::Disallow) => Self::Disallow,
            (Self::Allow, _) | (_, Self::Allow) => Self::Allow,
            (Self::Unknown, Self::Unknown) => Self::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Preference::{Allow, Disallow, Unknown};

    #[test]
    fn any_disallow_wins() {
        for other in [Allow, Disallow, Unknown] {
            assert_eq!(other.combine(Disallow), Disallow);
            assert_eq!(Disallow.combine(other), Disallow);
        }
        assert_eq!(Unknown.combine(Allow), Allow);
        assert_eq!(Allow.combine(Unknown), Allow);
        assert_eq!(Unknown.combine(Unknown), Unknown);
    }
}
