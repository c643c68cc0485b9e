//! A robots.txt as a book keeps it: compiled, or as bytes that are compiled when they are first needed.

use robots_policy::Policies;
use robots_policy::site::SiteRules;
use std::sync::{Arc, OnceLock};

/// The form in which robots.txt files are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeptForm {
    /// Compiled for the robot of each policy. The body is not kept.
    Rules,
    /// The part of the body that the policies read.
    Body,
}

/// A robots.txt, for the robot of each policy. Threads may share it.
#[derive(Debug)]
pub(crate) struct KeptFile {
    /// The part of the body that the policies read; empty if only the rules are kept.
    body: Arc<[u8]>,
    rules: OnceLock<Box<[SiteRules]>>,
}

impl KeptFile {
    /// Keeps a file in this form.
    pub(crate) fn new(body: &[u8], policies: &Policies, form: KeptForm) -> Arc<Self> {
        Arc::new(match form {
            KeptForm::Rules => Self {
                body: Arc::default(),
                rules: OnceLock::from(policies.compile(body).into_boxed_slice()),
            },
            KeptForm::Body => {
                let read = &body[..body.len().min(policies.bytes_read())];
                Self {
                    body: read.into(),
                    rules: OnceLock::new(),
                }
            }
        })
    }

    /// Returns the kept part of the body.
    pub(super) fn body(&self) -> &Arc<[u8]> {
        &self.body
    }

    /// Returns the file, compiled for the robot of each policy: those for which it was kept.
    pub(super) fn rules(&self, policies: &Policies) -> &[SiteRules] {
        self.rules
            .get_or_init(|| policies.compile(&self.body).into_boxed_slice())
    }
}
