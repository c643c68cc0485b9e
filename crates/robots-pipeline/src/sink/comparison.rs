//! The fields in which the decisions about a page differ.

use robots_policy::decision::Field;
use robots_policy::{Decision, Policies, Policy};
use std::collections::HashMap;

/// The decisions about a page that are compared with one another: those for one robot under several profiles. If each robot has one
/// profile, those for all robots.
#[derive(Debug)]
pub(crate) struct Comparison {
    /// The group of each policy. The groups are numbered from 0.
    groups: Vec<usize>,
}

impl Comparison {
    /// Returns the groups of the decisions by some policies.
    pub(crate) fn new(policies: &Policies) -> Self {
        let mut robots: HashMap<&str, usize> = HashMap::new();
        let names = policies.iter().map(Policy::agent);
        let groups: Vec<usize> = names
            .map(|name| {
                let next = robots.len();
                *robots.entry(name).or_insert(next)
            })
            .collect();
        if robots.len() == groups.len() {
            return Self {
                groups: vec![0; groups.len()],
            };
        }
        Self { groups }
    }

    /// Returns, for each decision about a page, the fields in which those of its group are not all the same.
    pub(crate) fn differences<'d>(
        &self,
        decisions: impl Iterator<Item = &'d Decision>,
    ) -> Vec<Vec<Field>> {
        let mut firsts: HashMap<usize, &Decision> = HashMap::new();
        let mut fields: HashMap<usize, Vec<Field>> = HashMap::new();
        for (group, decision) in self.groups.iter().zip(decisions) {
            let first = *firsts.entry(*group).or_insert(decision);
            let differing = fields.entry(*group).or_default();
            let others = Field::ALL
                .iter()
                .filter(|field| !field.is_same(first, decision));
            differing.extend(others);
        }
        for differing in fields.values_mut() {
            let is_in = |field: &&Field| differing.contains(field);
            *differing = Field::ALL.iter().filter(is_in).copied().collect();
        }
        let each = self.groups.iter();
        each.map(|group| fields.get(group).cloned().unwrap_or_default())
            .collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failure here fails the test")]
mod tests {
    use super::*;
    use robots_policy::Profile;

    fn differences(pairs: &[(&str, &str)]) -> Vec<String> {
        let policies = pairs.iter().map(|(profile, agent)| {
            let profile: Profile = profile.parse().unwrap();
            Policy::under(&profile, agent).unwrap()
        });
        let policies = Policies::new(policies.collect::<Vec<_>>());
        let html = "<meta name=robots content=noarchive><meta name=a content=noindex>";
        let decisions = policies
            .iter()
            .map(|policy| policy.decide("https://a.example/", html));
        let decisions: Vec<Decision> = decisions.collect();
        let fields = Comparison::new(&policies).differences(decisions.iter());
        let names = |fields: Vec<Field>| {
            let names: Vec<&str> = fields.into_iter().map(Field::name).collect();
            names.join(" ")
        };
        fields.into_iter().map(names).collect()
    }

    #[test]
    fn a_robot_is_compared_under_its_profiles() {
        assert_eq!(differences(&[("neutral", "a")]), [""]);
        assert_eq!(differences(&[("neutral", "a"), ("neutral", "a")]), ["", ""]);
        // Robots that differ are compared only if no robot has two profiles.
        let robots = differences(&[("neutral", "a"), ("neutral", "b")]);
        assert_eq!(robots, ["index ai_search", "index ai_search"]);
        let both = [
            ("neutral", "a"),
            ("neutral", "b"),
            ("neutral", "a"),
            ("neutral", "b"),
        ];
        assert_eq!(differences(&both), ["", "", "", ""]);
        let profiles = differences(&[("neutral", "b"), ("google", "b")]);
        assert!(profiles[0].contains("archive"), "{profiles:?}");
        assert_eq!(profiles[0], profiles[1]);
    }
}
