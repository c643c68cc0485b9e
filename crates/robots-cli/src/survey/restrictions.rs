//! The robots that a file names, and how much it disallows to each.

use robots_txt::analysis::Restriction;
use robots_txt::dialect::AgentList;
use robots_txt::rules::RulesOfAll;
use robots_txt::select::{Group, product_token};
use robots_txt::{Dialect, RobotsTxt, Rules};
use std::collections::HashMap;

/// The maximum work for the restrictions of a file, in directives that are examined. Robots of different groups may examine the
/// same directive, which counts each time. Beyond the limit, restrictions are unknown.
pub(super) const MAX_WORK: usize = 400_000;

/// The robots that a file names, in order.
#[derive(Default)]
pub(super) struct NamedRobots {
    /// Tokens in lower case, with the indexes of their groups.
    pub(super) tokens: Vec<(String, Vec<usize>)>,
    /// The index of each token.
    indexes: HashMap<String, usize>,
}

impl NamedRobots {
    /// Adds the robot that a `User-agent` line of a group names.
    pub(super) fn add(&mut self, value: &[u8], group: usize) {
        let value = String::from_utf8_lossy(value);
        let token = match value.trim_start() {
            star if star.starts_with('*') => "*".to_owned(),
            name => product_token(name).to_ascii_lowercase(),
        };
        // A value without a product token names no robot.
        if token.is_empty() {
            return;
        }
        let index = *self.indexes.entry(token.clone()).or_insert_with(|| {
            self.tokens.push((token, Vec::new()));
            self.tokens.len().saturating_sub(1)
        });
        // Several lines of a group may name the robot. Groups come in order, so only the last one can be this group.
        if let Some((_, groups)) = self.tokens.get_mut(index)
            && groups.last() != Some(&group)
        {
            groups.push(group);
        }
    }

    /// Returns the indexes of the groups that name a robot.
    pub(super) fn groups_of(&self, token: &str) -> Option<&[usize]> {
        let index = *self.indexes.get(token)?;
        self.tokens.get(index).map(|(_, groups)| groups.as_slice())
    }
}

/// The restrictions of sets of groups under RFC 9309, each computed once.
pub(super) struct RestrictionCache<'g> {
    robots: &'g RobotsTxt,
    groups: &'g [Group<'g>],
    /// The restrictions so far, by the indexes of their groups.
    computed: HashMap<Vec<usize>, Restriction>,
    /// The number of directives that may still be examined.
    work_left: usize,
}

impl<'g> RestrictionCache<'g> {
    pub(super) fn new(robots: &'g RobotsTxt, groups: &'g [Group<'g>]) -> Self {
        Self {
            robots,
            groups,
            computed: HashMap::new(),
            work_left: MAX_WORK,
        }
    }

    /// Returns how much some groups disallow together; unknown if this would exceed [`MAX_WORK`].
    pub(super) fn restriction(&mut self, groups: &[usize]) -> Restriction {
        if let Some(restriction) = self.computed.get(groups) {
            return *restriction;
        }
        let set = groups.iter().filter_map(|group| self.groups.get(*group));
        let work = set.clone().map(|group| group.directives().len());
        match self
            .work_left
            .checked_sub(work.fold(0, usize::saturating_add))
        {
            Some(left) => self.work_left = left,
            None => return Restriction::Unknown,
        }
        let restriction = Rules::of_groups(self.robots, set, &Dialect::RFC9309).restriction();
        self.computed.insert(groups.to_vec(), restriction);
        restriction
    }
}

/// Returns the restriction of each robot. Computes it once for robots that share their rules in memory.
pub(super) fn restrictions(rules: &RulesOfAll) -> Vec<Restriction> {
    let mut computed = HashMap::new();
    let restriction = |rules: &Rules| {
        let restriction = computed.entry(std::ptr::from_ref(rules));
        *restriction.or_insert_with(|| rules.restriction())
    };
    rules.iter().map(restriction).collect()
}

/// Returns whether the value of a `User-agent` line names `*`, alone or in a list with commas under a dialect that reads one.
pub(super) fn names_everyone(value: &[u8], dialect: &Dialect) -> bool {
    // The switch changes only a dialect that does not read lists.
    let has_lists = dialect.with_agent_list(AgentList::Commas) == *dialect;
    let mut names = value.split(|byte| has_lists && *byte == b',');
    names.any(|name| name.trim_ascii_start().starts_with(b"*"))
}
