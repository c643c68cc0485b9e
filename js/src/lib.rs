//! The crates of this project as one WebAssembly module, for hosts in any language. README.md describes the interface.
//!
//! A host asks for the input buffer ([`robots_input`]), writes the arguments as JSON and a body after them, calls a function with
//! both lengths, and reads the result from the output buffer ([`robots_output`]). Objects are numbers. No pointer of a host is
//! used, and every number that a host passes is checked: a wrong one is a failure, not undefined behaviour.

mod exchange;
mod file;
#[cfg(feature = "policy")]
mod lint;
mod object;
#[cfg(feature = "policy")]
mod page;
#[cfg(feature = "policy")]
mod policy;

use exchange::{call, exports};

/// The version of the interface: it changes when a function is removed or changes its meaning.
const INTERFACE: u32 = 1;

/// Returns the version of the interface.
#[unsafe(no_mangle)]
pub extern "C" fn robots_interface() -> u32 {
    INTERFACE
}

/// Returns the address of the input buffer, with space for `size` bytes; 0 if there is no memory for it. The buffer of an earlier call is
/// invalid.
#[unsafe(no_mangle)]
pub extern "C" fn robots_input(size: usize) -> *mut u8 {
    exchange::input(size)
}

/// Returns the address of the output buffer, which is valid until the next call of any other function.
#[unsafe(no_mangle)]
pub extern "C" fn robots_output() -> *const u8 {
    exchange::output()
}

/// Frees an object. Returns 1, or 0 if there is none of this number.
#[unsafe(no_mangle)]
pub extern "C" fn robots_free(object: u32) -> i32 {
    i32::from(exchange::free(object))
}

exports! {
    /// Parses a robots.txt: `{url?}`, and the file as the body. Returns an object.
    robots_txt => file::parse;
    /// Returns the sitemaps and hosts of a file, and whether it looks like HTML.
    robots_txt_facts => file::facts;
    /// Returns the bytes of a file.
    robots_txt_body => file::body;
    /// Returns the text of a line: `{line}`.
    robots_txt_line => file::line;
    /// Compares two files: `{other, robots?, dialect?}`.
    robots_txt_diff => file::diff;
    /// Compiles the rules of a robot: `{robot, dialect?, profile?}`. Returns an object.
    robots_rules => file::rules;
    /// Returns 1 if the URL in the body may be fetched, 0 if not.
    robots_rules_allowed => file::allowed;
    /// Returns the verdict on the URL in the body.
    robots_rules_verdict => file::verdict;
    /// Returns the rules that match the URL in the body.
    robots_rules_matching => file::matching;
    /// Returns the rules, their dialect, the delay, rates and hours.
    robots_rules_facts => file::rules_facts;
    /// Returns the robot in a User-Agent value, which is the body, or null.
    robots_name => file::name;
}

#[cfg(feature = "policy")]
exports! {
    /// Creates a policy: `{robot, profile?, profile_toml?, reasons, scripting, store_limit?}`. Returns an object.
    robots_policy => policy::create;
    /// Returns the robot, the profile and the number of known origins of a policy.
    robots_policy_facts => policy::facts;
    /// Records the outcome of a request for robots.txt: `{url, status?, has_body, content_type?, fresh_for?, outcome?, at?}`.
    robots_policy_learn => policy::learn;
    /// Records a tdmrep.json, which is the body: `{url}`.
    robots_policy_learn_tdmrep => policy::learn_tdmrep;
    /// Forgets the origin of the URL in the body.
    robots_policy_forget => policy::forget;
    /// Returns the time from which the robots.txt of the URL in the body should be requested again, in seconds since 1970.
    robots_policy_ask_again_at => policy::ask_again_at;
    /// Decides about a page: `{url, status?, headers?, charset?, at?, has_html, not_html, cut_short, captured_at?, licenses?}`.
    robots_policy_decide => policy::decide;
    /// Explains the decision in the body, as text.
    robots_decision_explain => policy::explain;
    /// Returns the built-in profiles.
    robots_profiles => policy::profiles;
    /// Returns the known robots.
    robots_known => policy::known;
    /// Reads the HEAD of the page in the body: `{charset?, document}`.
    robots_head => page::read;
    /// Creates a reader that is fed parts of a page: `{charset?, document}`. Returns an object.
    robots_head_reader => page::reader;
    /// Feeds a part of a page. Returns 1 if the reader needs no more, 0 if it does.
    robots_head_reader_feed => page::feed;
    /// Returns what a reader has read, and frees it.
    robots_head_reader_finish => page::finish;
    /// Returns the findings on the robots.txt in the body.
    robots_lint_robots_txt => lint::robots_txt;
    /// Returns the findings on the page in the body: `{url?, headers?, charset?, names?, at?}`.
    robots_lint_page => lint::page;
}
