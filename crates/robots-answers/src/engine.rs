//! Names of engines and robots for people.

use robots_policy::Profile;

/// The name of the robot `*` for people.
const ANY_ROBOT: &str = "robots without a group of their own";

/// The built-in profiles that are answered for unless others are named, each with its name for people: those of engines, of
/// archives, and of training.
pub(crate) const ENGINES: [(&str, &str); 10] = [
    ("google", "Google"),
    ("bing", "Bing"),
    ("yandex", "Yandex"),
    ("baidu", "Baidu"),
    ("apple", "Apple"),
    ("seznam", "Seznam"),
    ("duckduckgo", "DuckDuckGo"),
    ("amazon", "Amazon"),
    ("archiver", "Archives"),
    ("any-ai-trainer", "AI trainers"),
];

/// Returns how robots.txt is read under a profile, for people: `as Google reads robots.txt`.
pub fn manner(profile: &str) -> String {
    match profile {
        Profile::NEUTRAL => "as RFC 9309 says".to_owned(),
        "archiver" | "any-ai-trainer" => format!("as {} read robots.txt", engine_name(profile)),
        name => format!("as {} reads robots.txt", engine_name(name)),
    }
}

/// Returns the name of the engine of a built-in profile: `Google` for `google`. Any other profile has its own name.
pub fn engine_name(profile: &str) -> &str {
    let known = ENGINES.iter().find(|(of, _)| *of == profile);
    known.map_or(profile, |(_, name)| name)
}

/// Returns the name of a robot under a profile, for people: that of the engine, if it is the first robot of the engine's
/// profile.
///
/// ```
/// use robots_answers::robot_name;
///
/// assert_eq!(robot_name("Googlebot", "google"), "Google");
/// assert_eq!(robot_name("Googlebot-News", "google"), "Googlebot-News");
/// assert_eq!(robot_name("*", "neutral"), "robots without a group of their own");
/// ```
pub fn robot_name<'n>(agent: &'n str, profile: &'n str) -> &'n str {
    let engine = engine_name(profile);
    let is_first = || Profile::of_name(profile).is_ok_and(|profile| profile.agent() == agent);
    match agent {
        _ if engine != profile && is_first() => engine,
        "*" => ANY_ROBOT,
        agent => agent,
    }
}
