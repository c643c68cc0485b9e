//! The crates of this project as one WebAssembly module, for hosts in any language. README.md describes the interface, with the arguments
//! and the result of each function.
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
    robots_txt => file::parse;
    robots_txt_facts => file::facts;
    robots_txt_body => file::body;
    robots_txt_line => file::line;
    robots_txt_diff => file::diff;
    robots_rules => file::rules;
    robots_rules_allowed => file::allowed;
    robots_rules_verdict => file::verdict;
    robots_rules_matching => file::matching;
    robots_rules_facts => file::rules_facts;
    robots_name => file::name;
}

#[cfg(feature = "policy")]
exports! {
    robots_policy => policy::create;
    robots_policy_facts => policy::facts;
    robots_policy_learn => policy::learn;
    robots_policy_learn_tdmrep => policy::learn_tdmrep;
    robots_policy_forget => policy::forget;
    robots_policy_ask_again_at => policy::ask_again_at;
    robots_policy_decide => policy::decide;
    robots_decision_explain => policy::explain;
    robots_profiles => policy::profiles;
    robots_known => policy::known;
    robots_head => page::read;
    robots_head_reader => page::reader;
    robots_head_reader_feed => page::feed;
    robots_head_reader_finish => page::finish;
    robots_lint_robots_txt => lint::robots_txt;
    robots_lint_page => lint::page;
}
