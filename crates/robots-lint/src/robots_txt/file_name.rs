//! The name of the file. Robots request `/robots.txt` and no other name (RFC 9309, section 2.3).

const NAME: &str = "robots.txt";

/// Returns the name in a path or a URL: what follows the last folder.
pub(super) fn name_in(path: &str) -> &str {
    path.rsplit(std::path::is_separator).next().unwrap_or(path)
}

/// Returns whether a file was probably meant to be a robots.txt, but has another name: `robot.txt`, `Robots.txt`,
/// `robots.txt.txt`, or another slip of one letter. The path may have folders.
///
/// Copies are not misnamed: `robots.txt.bak`, `robots2.txt`, `example.com-robots.txt`.
///
/// ```
/// use robots_lint::robots_txt::is_misnamed;
///
/// assert!(is_misnamed("public/robot.txt"));
/// assert!(!is_misnamed("robots.txt"));
/// ```
pub fn is_misnamed(path: &str) -> bool {
    let name = name_in(path);
    if name == NAME {
        return false;
    }
    let lower = name.to_lowercase();
    if let Some(rest) = lower.trim().strip_prefix(NAME) {
        // Some editors add `.txt`, and hide it.
        return rest.is_empty() || rest == ".txt";
    }
    let is_copy = lower.contains(|c: char| c.is_ascii_digit());
    !is_copy && lower.starts_with("rob") && strsim::osa_distance(&lower, NAME) == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_told_from_copies_and_other_names() {
        for name in [
            "robot.txt",
            "Robots.txt",
            "ROBOTS.TXT",
            "robots.txt.txt",
            "Robots.TXT.txt",
            "robots.txt ",
            "robots.text",
            "robotstxt",
            "robots-txt",
            "robtos.txt",
            "robots.tx",
            "file:///site/robot.txt",
        ] {
            assert!(is_misnamed(name), "{name}");
        }
        for name in [
            "robots.txt",
            "robots.txt.gz",
            "ROBOTS.TXT.GZ",
            "robots.txt~",
            "robots.txt.bak",
            "robots.txt.html",
            "robots1.txt",
            "_robots.txt",
            "example.com-robots.txt",
            "roots.txt",
            "robots.html",
            "robots",
            "humans.txt",
            "robot.txt/robots.txt",
            "",
        ] {
            assert!(!is_misnamed(name), "{name}");
        }
    }
}
