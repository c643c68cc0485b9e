//! Reads or fetches what is known about a page: the robots.txt of its site, and its response.

use crate::args::Why;
use crate::{fetcher, robots_file, saved_page};
use anyhow::{Context, Result};
use robots_answers::check::web_origin;
use robots_answers::why::evidence::{
    Evidence, KnownPage, PageEvidence, RobotsEvidence, RobotsRequest,
};
use robots_answers::why::refusal;
use robots_archive::http::Response;
use robots_crawl::crawl::MAX_PAGE_BYTES;
use robots_crawl::{FetchFault, Fetched, Fetcher, Validators};
use robots_pipeline::input;
use robots_pipeline::text::with_causes;
use robots_policy::{Policy, RobotsFetch};
use std::io::Seek;
use std::time::SystemTime;

/// What the arguments name, read or fetched.
pub(super) struct Collected {
    pub(super) evidence: Evidence,
    pub(super) robots: Robots,
}

/// The robots.txt of a site.
pub(super) enum Robots {
    Unknown,
    File { name: String, body: Vec<u8> },
    Fetched(Box<Fetched>),
}

impl Collected {
    /// Reads or fetches what the arguments name.
    pub(super) fn new(args: &Why) -> Result<Self> {
        let robots = match &args.robots {
            Some(path) => Robots::File {
                name: path.display().to_string(),
                body: robots_file::read(path)?,
            },
            None => Robots::Unknown,
        };
        if let Some(url) = &args.base {
            let page = PageEvidence::Known(Box::new(saved(args)?));
            return Ok(Self::of(url, robots, page));
        }
        let url = args.page.to_string_lossy().into_owned();
        let origin = web_origin(&url).ok_or_else(|| {
            anyhow::anyhow!("{url:?} is not a URL with http or https: for a file, add --base URL")
        })?;
        let fetcher =
            fetcher::builder(&args.user_agent, args.from.as_deref(), args.allow_private).build()?;
        let runtime = fetcher::runtime()?;
        let fetched = || {
            let fetched = runtime.block_on(fetcher.fetch(&origin, &Validators::default()));
            fetcher::check_host(&origin, &fetched)?;
            anyhow::Ok(Robots::Fetched(Box::new(fetched)))
        };
        // A file that is not on the site yet gives no permission to fetch from it.
        let (robots, of_site) = match robots {
            Robots::Unknown => (fetched()?, None),
            given if args.own_site => (given, None),
            given => (given, Some(fetched()?)),
        };
        let permission = of_site.as_ref().unwrap_or(&robots);
        let now = SystemTime::now().into();
        let state = |policy: &Policy| policy.robots(permission.as_fetch());
        let refusal = refusal(&args.user_agent, "this program", &url, now, state);
        let page = match refusal.filter(|_| !args.own_site) {
            Some(why) => PageEvidence::Unknown(format!("{why} (--own-site)")),
            None => match runtime.block_on(request(&fetcher, &url)) {
                Ok(page) => PageEvidence::Known(Box::new(page)),
                Err(fault) if fault.is_of_host() => {
                    return Err(fetcher::host_error(&origin, &fault));
                }
                Err(fault) => PageEvidence::Unknown(with_causes(&fault)),
            },
        };
        runtime.shutdown_background();
        Ok(Self::of(&url, robots, page))
    }

    fn of(url: &str, robots: Robots, page: PageEvidence) -> Self {
        Self {
            evidence: Evidence::new(url, robots.evidence(), page),
            robots,
        }
    }
}

impl Robots {
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
