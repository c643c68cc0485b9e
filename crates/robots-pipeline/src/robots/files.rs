//! robots.txt files outside of archives, with the host and the day that their paths name.

use crate::error::Error;
use crate::input::documents::Records;
use crate::input::robots_files::{self, FolderFiles};
use crate::input::{Archive, files_and_archives_in, is_archive, open_file};
use crate::observer::{Observer, Warning};
use crate::text::path_text;
use robots_meta::Timestamp;
use robots_txt::parse::looks_like_html;
use std::path::Path;
use url::Url;

/// A robots.txt that is a file.
#[derive(Debug)]
pub(crate) struct PlainFile<'a> {
    /// The path.
    pub(crate) path: &'a Path,
    /// The host that the path names, with its port; `None` if it names none. The receiver knows to which hosts the file applies
    /// then.
    pub(crate) host: Option<String>,
    /// The day from which it is in force; `None` if it always is.
    pub(crate) date: Option<Timestamp>,
    /// The bytes.
    pub(crate) body: &'a [u8],
}

/// Returns the URLs of the robots.txt of a host: one for each scheme.
pub(crate) fn urls_of_host(host: &str) -> impl Iterator<Item = Url> {
    ["http", "https"]
        .into_iter()
        .filter_map(move |scheme| Url::parse(&format!("{scheme}://{host}/robots.txt")).ok())
}

/// Passes each robots.txt that a path names to `receive`: the file itself, or the files in a folder. Returns the archives: the file
/// itself, or those in the folder.
///
/// # Errors
///
/// If the path, or a file in the folder, cannot be read: its rules would be missing. And any error of `receive`.
pub(crate) fn visit(
    path: &Path,
    observer: &(impl Observer + ?Sized),
    receive: &mut dyn FnMut(PlainFile<'_>) -> Result<(), Error>,
) -> Result<Vec<Archive>, Error> {
    let is_folder = path.as_os_str() != "-" && path.is_dir();
    let mut paths = vec![path.to_owned()];
    if is_folder {
        let is_wanted = |path: &Path| FolderFiles::RobotsTxt.contain(path);
        let mut unread = None;
        paths = files_and_archives_in(path, &is_wanted, &mut |found, error| {
            unread.get_or_insert_with(|| Error::at("read", found)(error));
        });
        unread.map_or(Ok(()), Err)?;
    }
    let mut archives = Vec::new();
    for found in &paths {
        let file = open_file(found)?;
        let name = path_text(found);
        let is_read = !is_folder || is_archive(found);
        if is_read && Records::open(&name, &file, observer)?.is_some() {
            archives.push(Archive::opened(found, file));
            continue;
        }
        // A broken archive must not count as an empty robots.txt, also if it has a name of its own (`crawl.warc.gz.part`).
        if is_archive(found) || !is_folder && has_part_of_archive(found) {
            return Err(Error::MisnamedArchive(found.clone()));
        }
        let body = robots_files::body(&name, &file)?;
        if !is_folder && looks_like_html(&body) {
            observer.warn(&Warning::RobotsFileIsHtml {
                path: found.clone(),
            });
        }
        let within = found.strip_prefix(path).ok().filter(|_| is_folder);
        let (host, date) = within.map(host_and_date).unwrap_or_default();
        receive(PlainFile {
            path: found,
            host,
            date,
            body: &body,
        })?;
    }
    Ok(archives)
}

/// Returns whether `warc` or `arc` is a part of a file's name, between dots.
fn has_part_of_archive(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_kind =
        |part: &str| part.eq_ignore_ascii_case("warc") || part.eq_ignore_ascii_case("arc");
    name.split('.').any(is_kind)
}

/// Returns the host and the day in the path of a file, relative to the folder of the caller. Each is a part of the path, as
/// in `example.com/2026-11-01/robots.txt` or `example.com-2026-11-01-robots.txt`.
fn host_and_date(path: &Path) -> (Option<String>, Option<Timestamp>) {
    let (mut host, mut date) = (None, None);
    for part in path {
        let part = part.to_string_lossy();
        let name = robots_files::before_robots_txt(&part).unwrap_or(&part);
        let name = name.trim_end_matches(['-', '_', '.']);
        let (name, day) = without_date(name);
        date = day.or(date);
        // The name of a host has a dot; other folders rarely do.
        if name.contains('.') && Url::parse(&format!("http://{name}/")).is_ok() {
            host = Some(super::site::plain_host(name));
        }
    }
    (host, date)
}

/// Returns a name without the day at its end or beginning, and the day.
fn without_date(name: &str) -> (&str, Option<Timestamp>) {
    /// The length of a day such as `2026-11-01`, in bytes.
    const LENGTH: usize = 10;
    let day = |text: &str| {
        let date: jiff::civil::Date = text.parse().ok()?;
        let time = date.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
        Some(Timestamp::from_seconds(time.timestamp().as_second()))
    };
    let split = name.len().checked_sub(LENGTH);
    if let Some((rest, date)) = split.and_then(|split| name.split_at_checked(split))
        && let Some(date) = day(date)
    {
        return (rest.trim_end_matches(['-', '_']), Some(date));
    }
    if let Some((date, rest)) = name.split_at_checked(LENGTH)
        && let Some(date) = day(date)
    {
        return (rest.trim_start_matches(['-', '_']), Some(date));
    }
    (name, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_name_hosts_and_days() {
        let november = Timestamp::parse("2026-11-01T00:00:00Z");
        for (path, host, date) in [
            ("robots.txt", None, None),
            ("example.com/robots.txt", Some("example.com"), None),
            ("example.com-robots.txt", Some("example.com"), None),
            (
                "Example.com/2026-11-01-robots.txt",
                Some("example.com"),
                november,
            ),
            (
                "2026-11-01/example.com/robots.txt",
                Some("example.com"),
                november,
            ),
            (
                "example.com-2026-11-01.robots.txt",
                Some("example.com"),
                november,
            ),
            ("2026-11-01_robots.txt", None, november),
            ("old/robots.txt", None, None),
            ("ROBOTS.TXT", None, None),
            ("robots.txt.gz", None, None),
            ("example.com-Robots.txt.gz", Some("example.com"), None),
        ] {
            let found = host_and_date(Path::new(path));
            assert_eq!(found, (host.map(str::to_owned), date), "{path}");
        }
    }
}
