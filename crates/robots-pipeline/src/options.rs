//! The options of a run.

use crate::overrides::Overrides;
use crate::robots::capture_book::CaptureBook;
use robots_meta::Timestamp;
use robots_policy::Policies;
use robots_policy::origins::Origin;
use robots_policy::robots::RobotsState;
use robots_policy::site::SiteRules;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use url::Url;

/// The source of robots.txt files.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum RobotsSource {
    /// The inputs: pages wait until all of them are read.
    Inputs,
    /// These archives and folders, instead of the inputs. Pages are decided as they are read.
    Files(Vec<PathBuf>),
    /// A store of the robots.txt of origins. Pages are decided as they are read.
    Known(Arc<dyn KnownStates>),
    /// A book of captures, which was read for the same robots and profiles as those of the run; otherwise the run is an
    /// error. Pages are decided as they are read.
    Book(Arc<CaptureBook>),
}

/// What is known about the robots.txt of origins.
pub trait KnownStates: fmt::Debug + Send + Sync {
    /// Returns the state of an origin's robots.txt for each policy, for a page that was captured at `date`.
    fn states(
        &self,
        policies: &Policies,
        origin: &Origin,
        date: Option<Timestamp>,
    ) -> Vec<RobotsState<SiteRules>>;
}

impl RobotsSource {
    /// Returns the archives and folders that are read in addition to the inputs.
    pub(crate) fn files(&self) -> &[PathBuf] {
        match self {
            Self::Files(files) => files,
            _ => &[],
        }
    }
}

/// The options of reading.
#[derive(Debug, Clone)]
#[allow(
    clippy::struct_excessive_bools,
    clippy::exhaustive_structs,
    reason = "each is an option of its own, and callers start from the defaults"
)]
pub struct Options {
    /// The source of robots.txt files.
    pub robots: RobotsSource,
    /// CDXJ indexes of the archives: only the pages and robots.txt files that they list are read.
    pub index: Vec<PathBuf>,
    /// Whether the digests that records state are compared with their bytes.
    pub verify_digests: bool,
    /// Whether evidence is collected for a sink of the caller; for files, [`FileOutput::evidence`](crate::FileOutput::evidence) states
    /// it. The source of robots.txt files cannot be [`RobotsSource::Known`], which has no bytes of them.
    pub evidence: bool,
    /// The decisions of a team that are written next to the original ones.
    pub overrides: Option<Arc<Overrides>>,
    /// The URL of a folder of saved pages: the path of a page within the folder is appended to it. It is also the site of
    /// robots.txt files whose paths name no host.
    pub base: Option<Url>,
    /// Whether responses other than HTML are decided, too, by their headers.
    pub all_types: bool,
    /// The time as of which pages are decided.
    pub now: Now,
    /// The maximum number of pages.
    pub limit: Option<u64>,
    /// The share of the pages that is decided, from 0 to 1.
    pub sample: Option<f64>,
    /// The number of threads; at least one is used.
    pub threads: usize,
    /// The approximate memory for pages that wait for the last robots.txt, in bytes. Further pages wait in a temporary file
    /// ([`std::env::temp_dir`]), each in some hundreds of bytes.
    pub hold_back: usize,
}

/// The time as of which pages are decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums, reason = "closed by nature")]
pub enum Now {
    /// This time.
    At(Timestamp),
    /// The start of the run, which is this time; for a resumed run, the start of the first one.
    Start(Timestamp),
    /// No time: `unavailable_after` is reported but not applied, and no robots.txt is stale.
    Unknown,
}

impl Options {
    /// Returns the default options of a run that starts at this time.
    pub fn new(start: Timestamp) -> Self {
        Self {
            robots: RobotsSource::Inputs,
            index: Vec::new(),
            verify_digests: false,
            evidence: false,
            overrides: None,
            base: None,
            all_types: false,
            now: Now::Start(start),
            limit: None,
            sample: None,
            threads: crate::ordered::threads(None),
            hold_back: 64 << 20,
        }
    }
}
