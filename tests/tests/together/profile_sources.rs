//! The tables of docs/semantics.md, section 2.12, have every value of the profiles that they name, and the basis of
//! each.

use robots_policy::Profile;
use robots_txt::dialect::Switch;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use toml::{Table, Value};

/// The profiles, in the order of the columns.
const PROFILES: [&str; 5] = ["bing", "yandex", "baidu", "seznam", "apple"];

/// Values by profile and key.
type Values = BTreeMap<(String, String), String>;

/// The basis of a value that names none.
const DEFAULT_BASIS: &str = "r1";

/// Splits a cell into its value and the name of a source or a reason: `512000 bytes Y2`.
fn cell(text: &str) -> (&str, &str) {
    let (value, basis) = text.rsplit_once(' ').unwrap_or_default();
    if is_basis(basis) {
        (value, basis)
    } else {
        (text, DEFAULT_BASIS)
    }
}

fn is_basis(word: &str) -> bool {
    let number = word.strip_prefix(|c: char| c.is_ascii_alphabetic());
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|c| c.is_ascii_digit()))
}

fn section() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/semantics.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (_, rest) = page.split_once("<a id=\"s-2-12\"></a>").unwrap();
    rest.split_once("<a id=").unwrap().0.to_owned()
}

/// Returns the rows of all tables whose head begins with one of these cells.
fn rows<'d>(section: &'d str, heads: &[&str]) -> Vec<Vec<&'d str>> {
    let mut rows = Vec::new();
    let mut is_in_table = false;
    let mut lines = section.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(inner) = line.strip_prefix("| ") else {
            is_in_table &= line.starts_with("|---");
            continue;
        };
        let cells: Vec<&str> = inner
            .trim_end_matches('|')
            .split(" | ")
            .map(str::trim)
            .collect();
        if lines.peek().is_some_and(|next| next.starts_with("|---")) {
            is_in_table = heads.contains(&cells[0]);
        } else if is_in_table {
            rows.push(cells);
        }
    }
    rows
}

fn strings(value: &Value) -> Vec<&str> {
    let list = value.as_array().unwrap();
    list.iter().map(|item| item.as_str().unwrap()).collect()
}

/// Returns a value as it is written in a cell.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn list_or_none(list: &[&str]) -> String {
    if list.is_empty() {
        "none".to_owned()
    } else {
        list.join(", ")
    }
}

/// Returns the names that a list has in any built-in profile.
fn names_of_all(key: &str) -> BTreeSet<String> {
    let profiles = Profile::all().map(|profile| profile.to_toml().parse::<Table>().unwrap());
    profiles
        .flat_map(|profile| {
            strings(&profile[key])
                .into_iter()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .collect()
}

/// Returns every value of a profile, by the key of its row.
fn values(profile: &Profile) -> BTreeMap<String, String> {
    let file = profile.to_toml().parse::<Table>().unwrap();
    let mut values = BTreeMap::new();
    for switch in Switch::ALL {
        values.insert(
            switch.name().to_owned(),
            profile.dialect().value_of(*switch),
        );
    }
    for (key, value) in &file {
        match key.as_str() {
            // The columns, a summary, and the tables below.
            "name" | "about" | "dialect" | "robots" => {}
            "directives" | "honours" => {
                let counting = strings(value);
                for name in names_of_all(key) {
                    let counts = counting.contains(&name.as_str());
                    values.insert(name, if counts { "yes" } else { "no" }.to_owned());
                }
            }
            "outcomes" => {
                for (key, value) in value.as_table().unwrap() {
                    let Value::Array(steps) = value else {
                        values.insert(key.clone(), shown(value));
                        continue;
                    };
                    for (step, number) in steps.iter().zip(1..) {
                        let holds = step["holds"].as_str().unwrap();
                        let until = step.get("until-hours");
                        let start = until
                            .map_or("then ".to_owned(), |hours| format!("until hour {hours}: "));
                        values.insert(format!("{key}, step {number}"), format!("{start}{holds}"));
                    }
                }
            }
            "ai" => {
                for (key, value) in value.as_table().unwrap() {
                    match key.as_str() {
                        "tokens" | "effects" => {}
                        "signals" => {
                            let neutral = Profile::neutral().to_toml().parse::<Table>().unwrap();
                            let is_all = *value == neutral["ai"]["signals"];
                            assert!(is_all, "the page has no word for a part of the signals");
                            values.insert("ai.signals".to_owned(), "all".to_owned());
                        }
                        _ => {
                            values.insert(format!("ai.{key}"), shown(value));
                        }
                    }
                }
            }
            _ => {
                values.insert(key.clone(), shown(value));
            }
        }
    }
    values
        .entry("page-limit".to_owned())
        .or_insert_with(|| "none".to_owned());
    values
}

/// Returns the names of a profile's robots: in robots.txt, whether `*` applies, and in METAs and headers.
fn robots(profile: &Profile) -> BTreeMap<String, [String; 3]> {
    let file = profile.to_toml().parse::<Table>().unwrap();
    let robots = file["robots"].as_array().unwrap();
    robots
        .iter()
        .map(|robot| {
            let obeys_star = robot["obeys-star"].as_bool().unwrap();
            let names = [
                list_or_none(&strings(&robot["or"])),
                if obeys_star { "yes" } else { "no" }.to_owned(),
                list_or_none(&strings(&robot["meta-names"])),
            ];
            (shown(&robot["name"]), names)
        })
        .collect()
}

/// Returns a profile's rules for the use of content by AI, as the page writes them.
fn ai_rules(profile: &Profile) -> Vec<String> {
    let file = profile.to_toml().parse::<Table>().unwrap();
    let list = |key: &str| {
        let ai = file["ai"].as_table().unwrap();
        ai.get(key)
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default()
    };
    let tokens = list("tokens").into_iter().map(|token| {
        let uses = strings(&token["uses"]).join(", ");
        format!("token {}: {uses}", shown(&token["token"]))
    });
    let effects = list("effects").into_iter().map(|effect| {
        let unless = effect.get("unless").map_or(String::new(), |unless| {
            format!(" unless {}", strings(unless).join(", "))
        });
        let directives = strings(&effect["directives"]).join(", ");
        let uses = strings(&effect["uses"]).join(", ");
        format!("{directives}{unless}: {uses} {}", shown(&effect["says"]))
    });
    tokens.chain(effects).collect()
}

fn profiles() -> impl Iterator<Item = (&'static str, Profile)> {
    PROFILES
        .into_iter()
        .map(|name| (name, name.parse().unwrap()))
}

const KEYED: [&str; 5] = ["switch", "outcome", "directive", "statement", "key"];

/// Returns the cells of a row after its key: one for each profile. A row with one cell has it for all.
fn cells_of_profiles<'d>(row: &[&'d str]) -> Vec<&'d str> {
    match row[1..] {
        [of_all] => vec![of_all; PROFILES.len()],
        ref cells => cells.to_vec(),
    }
}

#[test]
fn the_tables_have_each_value_of_each_profile() {
    let section = section();
    let mut found = Values::new();
    for row in rows(&section, &KEYED) {
        let key = row[0].trim_matches('`');
        let cells = cells_of_profiles(&row);
        assert_eq!(cells.len(), PROFILES.len(), "{key}");
        for (profile, text) in PROFILES.iter().zip(cells) {
            let value = cell(text).0.to_owned();
            let earlier = found.insert(((*profile).to_owned(), key.to_owned()), value);
            assert_eq!(earlier, None, "{key} is in two rows");
        }
    }
    let expected: Values = profiles()
        .flat_map(|(name, profile)| {
            let values = values(&profile).into_iter();
            values.map(move |(key, value)| ((name.to_owned(), key), value))
        })
        .collect();
    for (key, value) in &expected {
        assert_eq!(found.get(key), Some(value), "{key:?}");
    }
    let others: Vec<_> = found
        .keys()
        .filter(|key| !expected.contains_key(key))
        .collect();
    assert!(others.is_empty(), "no profile has {others:?}");
}

#[test]
fn the_tables_have_the_names_of_each_robot() {
    let section = section();
    let found: Vec<(String, [String; 3])> = rows(&section, &["profile"])
        .into_iter()
        .filter(|row| row.len() == 5)
        .map(|row| {
            let names = [row[2], row[3], row[4]].map(|text| cell(text).0.to_owned());
            (format!("{} {}", row[0], row[1]), names)
        })
        .collect();
    let expected: BTreeMap<String, [String; 3]> = profiles()
        .flat_map(|(name, profile)| {
            let robots = robots(&profile).into_iter();
            robots.map(move |(robot, names)| (format!("{name} {robot}"), names))
        })
        .collect();
    assert_eq!(found.into_iter().collect::<BTreeMap<_, _>>(), expected);
}

#[test]
fn the_tables_have_each_rule_for_the_use_by_ai() {
    let section = section();
    let found: Vec<String> = rows(&section, &["profile"])
        .into_iter()
        .filter(|row| row.len() == 3)
        .map(|row| format!("{} {}", row[0], row[1]))
        .collect();
    let expected: Vec<String> = profiles()
        .flat_map(|(name, profile)| {
            let rules = ai_rules(&profile).into_iter();
            rules.map(move |rule| format!("{name} {rule}"))
        })
        .collect();
    assert_eq!(found, expected);
}

/// Checks that each value has a source or a reason that the page lists, and that each of these is used.
#[test]
fn each_value_has_a_listed_basis() {
    let section = section();
    let listed: BTreeSet<&str> = rows(&section, &["source", "reason"])
        .into_iter()
        .map(|row| row[0])
        .collect();
    let mut used = BTreeSet::new();
    let mut check = |text: &str, place: &str| {
        let (_, basis) = cell(text);
        assert!(listed.contains(basis), "{place}: {text}");
        used.insert(basis.to_owned());
    };
    for row in rows(&section, &KEYED) {
        row[1..].iter().for_each(|text| check(text, row[0]));
    }
    for row in rows(&section, &["profile"]) {
        if row.len() == 3 {
            check(&format!("rule {}", row[2]), row[1]);
        } else {
            row[2..].iter().for_each(|text| check(text, row[1]));
        }
    }
    let unused: Vec<_> = listed.iter().filter(|id| !used.contains(**id)).collect();
    assert!(unused.is_empty(), "{unused:?}");
}
