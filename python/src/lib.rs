//! The native module of the Python package `robots_policy`: classes and functions over the crates of this project.
//!
//! Each file has the classes of one concept; a class holds a value of Rust and adds no meaning of its own. `argument`
//! reads arguments, `arrow` has the batches and streams, `fork` keeps locks out of children, `interrupt` ends long calls, `capsule` crosses Arrow's C interface, `error` and `word` have the exceptions and enums, which the package defines in Python. Doc comments
//! of classes and methods are their docstrings. The stubs are in `python/robots_policy/_native.pyi`.
//!
//! Parsing, deciding, linting and comparing detach from the interpreter, so other threads of Python run meanwhile. A
//! single verdict does not: it takes less time than detaching. A panic becomes `pyo3_runtime.PanicException`.
// Allowed in `call` and `capsule` alone.
#![deny(unsafe_code)]

mod agent;
mod archive;
mod argument;
mod arrow;
mod batch;
mod call;
mod capsule;
mod decision;
mod diff;
mod error;
mod fork;
mod head;
mod interrupt;
mod lint;
mod pickle;
mod policies;
mod policy;
mod profile;
mod reason;
mod robot_rules;
mod robots_txt;
mod rules;
mod word;

use pyo3::prelude::*;

/// The native part of `robots_policy`, which exports what is public here.
#[pymodule]
mod _native {
    use pyo3::prelude::*;
    use robots_pipeline::robots::book::MAX_REDIRECT_SEARCHES;
    use robots_policy::RobotsFetch;
    use robots_policy::site::Tdmrep;
    use robots_txt::limits::MAX_BODY;

    #[pymodule_export]
    use crate::agent::Agent;
    #[pymodule_export]
    use crate::archive::{
        ArchiveBatches, ArchiveDecisions, ArchivedPage, FrozenRobotsBook, OriginDecider,
        RobotsBook, captures, decide_warc, decide_warc_batches, decision_columns, end_reading,
        index_entries, iter_decisions, read_pages, records,
    };
    #[pymodule_export]
    use crate::argument::second_of;
    #[pymodule_export]
    use crate::arrow::{ArrowBatch, ArrowStream};
    #[pymodule_export]
    use crate::batch::{decide_batch, decide_stream};
    #[pymodule_export]
    use crate::decision::Decision;
    #[pymodule_export]
    use crate::diff::{Change, Changes, PathVerdict, diff};
    #[pymodule_export]
    use crate::fork::{after_fork, before_fork};
    #[pymodule_export]
    use crate::head::{Directive, HeadEnd, Meta, PageFacts, Wanted, read_head};
    #[pymodule_export]
    use crate::lint::{Finding, lint, lint_page};
    #[pymodule_export]
    use crate::policy::{Policy, decide, install};
    #[pymodule_export]
    use crate::profile::Profile;
    #[pymodule_export]
    use crate::reason::{Reason, Source, Warning};
    #[pymodule_export]
    use crate::robot_rules::RobotRules;
    #[pymodule_export]
    use crate::robots_txt::RobotsTxt;
    #[pymodule_export]
    use crate::rules::{RequestRate, Rule, Rules, Verdict, load_rules};
    #[pymodule_export]
    use crate::word::words;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("_MAX_BODY", MAX_BODY)?;
        module.add("_MAX_REDIRECTS", RobotsFetch::MAX_REDIRECTS)?;
        module.add("_MAX_REDIRECT_SEARCHES", MAX_REDIRECT_SEARCHES)?;
        module.add("_TDMREP_PATH", Tdmrep::PATH)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
