//! Processes that share what they know through a real redis-server, which each test starts in a folder of its own.
//!
//! The tests are ignored where redis-server is missing, unless the environment has `CI=true`: then they fail.

#![cfg(target_os = "linux")]
#![allow(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a failure here fails the test"
)]

mod faults;
#[path = "../../examples/faulty_sites.rs"]
#[allow(
    unreachable_pub,
    reason = "it is an example, and a module of this test"
)]
mod faulty_sites;
mod redis_server;
mod replicas;
mod sites;

use libtest_mimic::{Arguments, Failed, Trial};
use std::process::{Command, ExitCode, Stdio};

/// The tests, by name.
const TESTS: [(&str, fn()); 12] = [
    ("one_request_for_two_replicas", sites::one_request),
    (
        "a_replica_reads_what_another_learned",
        sites::read_elsewhere,
    ),
    ("a_holder_that_dies_is_replaced", sites::dead_holder),
    ("a_clock_that_is_ahead_is_not_followed", sites::clock_ahead),
    ("a_late_writer_replaces_nothing_newer", sites::late_writer),
    ("a_failed_renewal_is_shared", sites::failed_renewal),
    ("redis_is_down_and_comes_back", faults::down),
    ("redis_hangs_and_goes_on", faults::hanging),
    ("redis_is_full", faults::full),
    ("foreign_and_damaged_values", faults::foreign),
    ("a_foreign_lock", faults::foreign_lock),
    ("replicas", replicas::replicas),
];

fn main() -> ExitCode {
    if replicas::is_replica() {
        replicas::run();
        return ExitCode::SUCCESS;
    }
    let arguments = Arguments::from_args();
    let version = Command::new("redis-server")
        .arg("--version")
        .stdout(Stdio::null())
        .status();
    let is_missing = version.is_err();
    let must_run = std::env::var("CI").is_ok_and(|value| value == "true");
    let trials = TESTS.map(|(name, test)| {
        let run = move || -> Result<(), Failed> {
            test();
            Ok(())
        };
        let trial = Trial::test(name, run).with_ignored_flag(is_missing && !must_run);
        if is_missing {
            trial.with_kind("redis-server is missing")
        } else {
            trial
        }
    });
    libtest_mimic::run(&arguments, trials.into()).exit_code()
}
