//! Reads or fetches what is known about a page: the robots.txt of its site, and its response.

use crate::args::Why;
use crate::{fetcher, robots_file, saved_page};
use anyhow::{Context, Result, anyhow};
use indexmap::IndexSet;
use robots_answers::check::web_origin;
use robots_answers::is_of_one_owner;
use robots_answers::why::evidence::{
    Evidence, KnownPage, PageEvidence, RobotsEvidence, RobotsRequest,
};
use robots_answers::why::{Permission, Requester};
use robots_archive::http::Response;
use robots_crawl::crawl::MAX_PAGE_BYTES;
use robots_crawl::{FetchFault, Fetched, Fetcher, Validators};
use robots_meta::Timestamp;
use robots_pipeline::input;
use robots_pipeline::text::with_causes;
use robots_policy::limits::{MAX_RSL_BYTES, MAX_TDMREP_BYTES};
use robots_policy::origins::Origin;
use robots_policy::site::{Rsl, Tdmrep};
use robots_policy::{Policy, RobotsFetch};
use std::collections::HashMap;
use std::io::{Read, Seek};
use std::path::Path;
use std::rc::Rc;
use std::time::SystemTime;
use tokio::runtime::Runtime;
use url::Url;

/// The maximum number of licences that are requested for a page.
const MAX_REQUESTED_LICENSES: usize = 5;

/// What the arguments name, read or fetched.
pub(super) struct Collected {
    pub(super) evidence: Evidence,
    pub(super) robots: Robots,
}

/// The robots.txt of a site.
#[derive(Clone)]
pub(super) enum Robots {
    Unknown,
    File { name: String, body: Rc<[u8]> },
    Fetched(Rc<Fetched>),
}

/// Requests for pages, and for the robots.txt of each of their sites once.
pub(super) struct Requests<'a> {
    args: &'a Why,
    /// The robots that are asked about.
    asked: &'a [Policy],
    fetcher: Fetcher,
    runtime: Runtime,
    first: FirstSite,
    fetched: HashMap<Origin, Rc<Fetched>>,
    tdmreps: HashMap<Origin, Option<Tdmrep>>,
}

/// The site of the first page, and what was given for it. Pages to which the first one redirects may have another owner.
struct FirstSite {
    /// The URL of the first page.
    url: String,
    origin: Origin,
    robots: Robots,
    terms: GivenTerms,
}

/// The terms of the owner that the arguments name, in place of requests for them.
#[derive(Default)]
struct GivenTerms {
    tdmrep: Option<Tdmrep>,
    license: Option<Rsl>,
}

impl Collected {
    /// Reads the page of a URL from the file that the arguments name.
    pub(super) fn saved(args: &Why, asked: &[Policy], url: &str) -> Result<Self> {
        let robots = Robots::given(args)?;
        let page = PageEvidence::Known(Box::new(saved(args)?));
        let mut this = Self::of(url, robots, page);
        let given = GivenTerms::read(args)?;
        this.evidence.tdmrep = given.tdmrep;
        this.add_licenses(asked, args.now, given.license.as_ref(), |_, _| None);
        Ok(this)
    }

    /// Adds the licences that the site and the page name: the one that was given, else what a request for a URL brings. It gets the number of
    /// licences before this one.
    fn add_licenses(
        &mut self,
        asked: &[Policy],
        now: Option<Timestamp>,
        given: Option<&Rsl>,
        mut request: impl FnMut(usize, &Url) -> Option<Rsl>,
    ) {
        let named = self.named_licenses(asked, now);
        if given.is_some() && named.is_empty() {
            notice!(
                "note: --license has no effect, as neither the site nor the page names a licence of RSL"
            );
        }
        for (index, url) in named.iter().enumerate() {
            if let Some(license) = given.cloned().or_else(|| request(index, url)) {
                // Not an error: it is a full URL.
                let _ = self.evidence.licenses.insert(url.as_str(), license);
            }
        }
    }

    /// Returns the URLs of the licences that the site and the page name, for any of the robots.
    fn named_licenses(&self, asked: &[Policy], now: Option<Timestamp>) -> IndexSet<Url> {
        let now = now.unwrap_or_else(|| SystemTime::now().into());
        let named = asked.iter().flat_map(|policy| {
            let robots = policy.robots(self.robots.as_fetch());
            self.evidence.named_licenses(policy, &robots, now)
        });
        named.collect()
    }

    fn of(url: &str, robots: Robots, page: PageEvidence) -> Self {
        Self {
            evidence: Evidence::new(url, robots.evidence(), page),
            robots,
        }
    }
}

impl<'a> Requests<'a> {
    /// Prepares requests for the page at a URL, and for those to which it redirects.
    pub(super) fn new(args: &'a Why, asked: &'a [Policy], url: &str) -> Result<Self> {
        Ok(Self {
            first: FirstSite {
                url: url.to_owned(),
                origin: origin_of(url)?,
                robots: Robots::given(args)?,
                terms: GivenTerms::read(args)?,
            },
            args,
            asked,
            fetcher: args.requests.fetcher().build()?,
            runtime: fetcher::runtime()?,
            fetched: HashMap::new(),
            tdmreps: HashMap::new(),
        })
    }

    /// Ends the requests without waiting for the system to find names.
    pub(super) fn shutdown(self) {
        self.runtime.shutdown_background();
    }

    /// Requests a page, if robots.txt permits it.
    pub(super) fn page(&mut self, url: &str) -> Result<Collected> {
        let origin = origin_of(url)?;
        let is_of_owner = self.args.own_site && is_of_one_owner(url, &self.first.url);
        let given = (origin == self.first.origin).then(|| self.first.robots.clone());
        // A file that is not on the site yet gives no permission to fetch from it.
        let (robots, of_site) = match given {
            None | Some(Robots::Unknown) => (self.robots(&origin)?, None),
            Some(given) => (given, Some(self.robots(&origin)?)),
        };
        let permission = of_site.as_ref().unwrap_or(&robots);
        let requester = Requester::new(&self.args.requests.user_agent, "this program", is_of_owner);
        let state = |policy: &Policy| policy.robots(permission.as_fetch());
        let now = SystemTime::now().into();
        let permission = requester.permission(url, now, self.asked, permission.body(), state);
        let exception = match permission {
            Permission::OwnerOnly(why) => {
                let page = PageEvidence::Unknown(format!("{why} (--own-site)"));
                return Ok(Collected::of(url, robots, page));
            }
            Permission::Refused(why) => {
                return Ok(Collected::of(url, robots, PageEvidence::Unknown(why)));
            }
            Permission::Exception(why) => Some(why),
            _ => None,
        };
        let page = match self.runtime.block_on(request(&self.fetcher, url)) {
            Ok(mut page) => {
                page.exception = exception;
                PageEvidence::Known(Box::new(page))
            }
            Err(fault) if fault.is_of_host() => {
                return Err(fetcher::host_error(&origin, &fault));
            }
            Err(fault) => PageEvidence::Unknown(with_causes(&fault)),
        };
        let mut collected = Collected::of(url, robots, page);
        self.add_terms(&origin, &mut collected);
        Ok(collected)
    }

    /// Adds the tdmrep.json of a site, and the licences that the site and the page name. Of these, up to [`MAX_REQUESTED_LICENSES`] are requested; the others
    /// count as unreadable.
    fn add_terms(&mut self, origin: &Origin, collected: &mut Collected) {
        let none = GivenTerms::default();
        let is_first = *origin == self.first.origin;
        let given = if is_first { &self.first.terms } else { &none };
        let (fetcher, runtime) = (&self.fetcher, &self.runtime);
        collected.evidence.tdmrep = given.tdmrep.clone().or_else(|| {
            let tdmrep = self.tdmreps.entry(origin.clone());
            let request = || runtime.block_on(fetcher.fetch_tdmrep(origin));
            tdmrep.or_insert_with(request).clone()
        });
        let license = given.license.as_ref();
        collected.add_licenses(self.asked, self.args.now, license, |index, url| {
            if index < MAX_REQUESTED_LICENSES {
                return runtime.block_on(fetcher.fetch_license(url));
            }
            Some(Rsl::unreadable(&format!(
                "not requested, as there are more than {MAX_REQUESTED_LICENSES} licences"
            )))
        });
    }

    /// Requests the robots.txt of a site, if that was not done before.
    fn robots(&mut self, origin: &Origin) -> Result<Robots> {
        if let Some(fetched) = self.fetched.get(origin) {
            return Ok(Robots::Fetched(Rc::clone(fetched)));
        }
        let none = Validators::default();
        let fetched = self.runtime.block_on(self.fetcher.fetch(origin, &none));
        let fetched = Rc::new(fetched);
        fetcher::check_host(origin, &fetched)?;
        self.fetched.insert(origin.clone(), Rc::clone(&fetched));
        Ok(Robots::Fetched(fetched))
    }
}

/// Returns the origin of the URL of a page on the Web.
fn origin_of(url: &str) -> Result<Origin> {
    web_origin(url).ok_or_else(|| anyhow!("{url:?} is not a URL with http or https"))
}

impl Robots {
    /// Reads the file of `--robots`, if there is one.
    fn given(args: &Why) -> Result<Self> {
        Ok(match &args.robots {
            Some(path) => Self::File {
                name: path.display().to_string(),
                body: robots_file::read(path)?.into(),
            },
            None => Self::Unknown,
        })
    }

    /// Returns the outcome of the request, or of reading the file.
    pub(super) fn as_fetch(&self) -> RobotsFetch<'_> {
        match self {
            Self::Unknown => RobotsFetch::NotFetched,
            Self::File { body, .. } => RobotsFetch::Body(body),
            Self::Fetched(fetched) => fetched.as_fetch(),
        }
    }

    /// Returns the file, which is empty if it is not known.
    pub(super) fn body(&self) -> &[u8] {
        match self {
            Self::Unknown => &[],
            Self::File { body, .. } => body,
            Self::Fetched(fetched) => fetched.body(),
        }
    }

    /// Returns the name of the file, or its URL.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Unknown => "robots.txt",
            Self::File { name, .. } => name,
            Self::Fetched(fetched) => fetched.url(),
        }
    }

    fn evidence(&self) -> RobotsEvidence {
        match self {
            Self::Unknown => RobotsEvidence::Unknown {
                remedy: "name the robots.txt of the site with --robots".to_owned(),
            },
            Self::File { name, body } => RobotsEvidence::File {
                name: name.clone(),
                bytes: body.len(),
            },
            Self::Fetched(fetched) => {
                let mut request = RobotsRequest::new(fetched.url());
                request.redirects = fetched.hops().len();
                request.status = fetched.status();
                let fault = fetched.fault();
                request.fault = fault.map(|fault| (fault.name(), with_causes(fault)));
                request.bytes = fetched.body().len();
                RobotsEvidence::Requested(request)
            }
        }
    }
}

impl GivenTerms {
    fn read(args: &Why) -> Result<Self> {
        Ok(Self {
            tdmrep: given_terms(args.tdmrep.as_deref(), Tdmrep::read)?,
            license: given_terms(args.license.as_deref(), Rsl::read)?,
        })
    }
}

/// Reads a file with terms of the owner, if there is one.
fn given_terms<T>(path: Option<&Path>, read: impl FnOnce(&[u8]) -> T) -> Result<Option<T>> {
    let bytes = path.map(|path| {
        let file = input::open_file(path)?;
        // One byte more than any file of terms shows that it is too long.
        let most = MAX_TDMREP_BYTES.max(MAX_RSL_BYTES) as u64 + 1;
        let mut bytes = Vec::new();
        let read = file.take(most).read_to_end(&mut bytes);
        read.with_context(|| format!("cannot read {}", path.display()))?;
        anyhow::Ok(bytes)
    });
    Ok(bytes.transpose()?.map(|bytes| read(&bytes)))
}

/// Reads a saved page: HTML, or a response as `curl -i` prints it.
fn saved(args: &Why) -> Result<KnownPage> {
    let name = args.page.display().to_string();
    let mut file = input::open_file(&args.page)?;
    // Standard input was copied to a file, which is now at its end.
    file.rewind()
        .with_context(|| format!("cannot read {name}"))?;
    let bytes = saved_page::read(&name, file, |warning| notice!("{warning}"))?;
    if let Some(response) = saved_page::parse(&bytes) {
        return Ok(of_response(&response));
    }
    let is_whole = bytes.len() < input::lines::MAX_PAGE_BYTES;
    let mut page = KnownPage::of_html(bytes);
    page.is_whole = is_whole;
    Ok(page)
}

fn of_response(response: &Response<'_>) -> KnownPage {
    let headers = response.header_bytes();
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_vec()));
    let mut page = KnownPage::of_response(Some(response.status()), headers.collect());
    page.has_all_headers = !response.is_head_over_limit();
    page.body = response.body().to_vec();
    page.is_html = response.is_html();
    page.is_whole = !response.is_unread() && !response.is_cut();
    page
}

/// Requests a page, up to [`MAX_PAGE_BYTES`].
async fn request(fetcher: &Fetcher, url: &str) -> Result<KnownPage, FetchFault> {
    let mut response = fetcher.page(url).await?;
    let body = response.body_up_to(MAX_PAGE_BYTES).await?;
    Ok(KnownPage::requested(
        response.status(),
        response.headers(),
        body.bytes,
        body.is_whole,
    ))
}
