//! The description of a robot, from the table of known robots.

use robots_policy::profile::{AgentTable, KnownAgent, Obeys};
use robots_policy::text::printable;
use robots_txt::select::product_token;

/// Returns the description of the robot that the value of a `User-agent` line names; `None` if it is not known.
pub(super) fn describe(value: &[u8]) -> Option<String> {
    let name = String::from_utf8_lossy(value);
    // White space and any text may follow the star (docs/semantics.md, section 2.2).
    if name.split_ascii_whitespace().next() == Some("*") {
        return Some(
            "`*`: every robot that no other group names.\n\nSome robots do not obey it, such as AdsBot-Google: \
             `robots agents NAME` shows whether one does."
                .to_owned(),
        );
    }
    let agent = AgentTable::built_in().get(product_token(&name))?;
    Some(of_agent(agent))
}

fn of_agent(agent: &KnownAgent) -> String {
    let mut paragraphs = vec![format!("**{}**, {}", agent.token, agent.operator)];
    let mut line = |label: &str, value: &str| {
        if !value.is_empty() {
            paragraphs.push(format!("{label}{}", printable(value)));
        }
    };
    line("", &agent.about);
    line("Purposes: ", &agent.purpose_names().join(", "));
    let obeys = match agent.obeys {
        Obeys::Unknown => "not documented".to_owned(),
        obeys => obeys.to_string(),
    };
    line("Obeys robots.txt: ", &obeys);
    let groups: Vec<&str> = agent.groups().collect();
    line("Groups: ", &groups.join(", then "));
    if !agent.crawls {
        line(
            "",
            "It requests no pages: the name controls the use of content.",
        );
    }
    line("Source: ", agent.source.as_deref().unwrap_or_default());
    paragraphs.join("\n\n")
}
