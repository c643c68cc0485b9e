//! Names of engines for people.

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
