//! The responses of archives that are read as documents: robots.txt files and pages.

use crate::observer::RecordProblem;
use robots_archive::Record;
use robots_archive::http::{Note, Response};

/// Returns the response of a record, if it has status 2xx and a body that can be read. Passes problems of the record to `warn`.
///
/// `is_robots`: whether the response is a robots.txt, of which the [unsniffed body](Response::unsniffed_body) is read, also the
/// start of one that is not whole, with the problem [`RecordProblem::Cut`]. `is_wanted` is asked once of each HTTP response, whatever
/// its status; those that it leaves out have no problems.
pub fn readable_response(
    record: &Record,
    is_robots: bool,
    is_wanted: impl FnOnce(&Response<'_>) -> bool,
    warn: impl Fn(RecordProblem),
) -> Option<Response<'_>> {
    let Ok(response) = record.http_response()? else {
        let loses_decision = false;
        warn(RecordProblem::NotHttp { loses_decision });
        return None;
    };
    if !is_wanted(&response) || !(200..=299).contains(&response.status()) {
        return None;
    }
    let is_unread = if is_robots {
        response.unsniffed_notes().any(Note::is_unread)
    } else {
        response.is_unread()
    };
    if is_unread {
        warn(RecordProblem::Unreadable);
        return None;
    }
    if is_robots && (record.cut.is_some() || response.unsniffed_notes().any(Note::is_cut)) {
        warn(RecordProblem::Cut);
    }
    Some(response)
}
