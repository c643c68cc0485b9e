//! Names of engines for people.

use robots_policy::Profile;

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
    match profile {
        "google" => "Google",
        "bing" => "Bing",
        "yandex" => "Yandex",
        "baidu" => "Baidu",
        "apple" => "Apple",
        "seznam" => "Seznam",
        "duckduckgo" => "DuckDuckGo",
        "amazon" => "Amazon",
        "archiver" => "Archives",
        "any-ai-trainer" => "AI trainers",
        other => other,
    }
}
