//! What is known about a page: the robots.txt of its site, and its response.

use crate::args::Why;
use crate::named_robots::named_robots;
use crate::saved_page::{self, Saved};
use crate::{fetcher, robots_file};
use anyhow::{Context, Result};
use robots_archive::http::Response;
use robots_crawl::crawl::MAX_PAGE_BYTES;
use robots_crawl::fetch::PageResponse;
use robots_crawl::{FetchFault, Fetched, Fetcher, Validators};
use robots_meta::Timestamp;
use robots_meta::value::MediaType;
use robots_pipeline::input;
use robots_pipeline::text::with_causes;
use robots_policy::origins::Origin;
use robots_policy::{Page, Policy, Profile, RobotsFetch};
use robots_txt::select::product_token;
use robots_txt::{Agent, Dialect, RobotsTxt};
use std::io::Seek;
use std::time::SystemTime;

/// What is known about a page.
pub(super) struct Evidence {
    pub(super) url: String,
    pub(super) robots: Robots,
    pub(super) page: PageEvidence,
}

/// The robots.txt of a site.
pub(super) enum Robots {
    Unknown,
    File { name: String, body: Vec<u8> },
    Fetched(Box<Fetched>),
}

/// A page.
pub(super) enum PageEvidence {
    Known(Box<KnownPage>),
    /// Why it is not known.
    Unknown(String),
}

/// A page, and its response as far as it is known.
#[allow(clippy::struct_excessive_bools, reason = "independent facts")]
pub(super) struct KnownPage {
    pub(super) is_fetched: bool,
    /// Not known for saved HTML.
    pub(super) status: Option<u16>,
    pub(super) headers: Vec<(String, Vec<u8>)>,
    /// Whether there are no more header lines than these.
    has_all_headers: bool,
    pub(super) body: Vec<u8>,
    /// Whether the body is HTML, by its type or for lack of one.
    pub(super) is_html: bool,
    pub(super) is_whole: bool,
}

impl Evidence {
    /// Returns the robots that the robots.txt names by the rule of a dialect, with repetitions.
    pub(super) fn named_robots(&self, dialect: &Dialect) -> Vec<String> {
        let body: &[u8] = match &self.robots {
            Robots::Unknown => return Vec::new(),
            Robots::File { body, .. } => body,
            Robots::Fetched(fetched) => fetched.body(),
        };
        named_robots(&RobotsTxt::parse(body), dialect).collect()
    }

    /// Reads or fetches what the arguments name.
    pub(super) fn collect(args: &Why) -> Result<Self> {
        let robots = match &args.robots {
            Some(path) => Robots::File {
                name: path.display().to_string(),
                body: robots_file::read(path)?,
            },
            None => Robots::Unknown,
        };
        if let Some(url) = &args.base {
            return Ok(Self {
                url: url.clone(),
                robots,
                page: PageEvidence::Known(Box::new(KnownPage::read(args)?)),
            });
        }
        let url = args.page.to_string_lossy().into_owned();
        let origin = Origin::of(&url).map_err(|_| {
            anyhow::anyhow!("{url:?} is not a URL with http or https: for a file, add --base URL")
        })?;
        let fetcher =
            fetcher::builder(&args.user_agent, args.from.as_deref(), args.allow_private).build()?;
        let runtime = fetcher::runtime()?;
        let fetched = || {
            let fetched = runtime.block_on(fetcher.fetch(&origin, &Validators::default()));
            Robots::Fetched(Box::new(fetched))
        };
        // A file that is not on the site yet gives no permission to fetch from it.
        let (robots, of_site) = match robots {
            Robots::Unknown => (fetched(), None),
            given if args.own_site => (given, None),
            given => (given, Some(fetched())),
        };
        let permission = of_site.as_ref().unwrap_or(&robots);
        let page = if args.own_site || may_fetch(&args.user_agent, permission, &url) {
            runtime.block_on(KnownPage::fetch(&fetcher, &url))
        } else {
            PageEvidence::Unknown(
                "robots.txt does not allow this program to fetch it (--own-site)".to_owned(),
            )
        };
        Ok(Self { url, robots, page })
    }

    /// Returns the page as decisions take it.
    pub(super) fn page(&self, now: Timestamp) -> Page<'_> {
        let page = Page::new(&self.url).at(now);
        let PageEvidence::Known(known) = &self.page else {
            return page;
        };
        let mut page = page.with_headers(known.header_lines());
        if let Some(status) = known.status {
            page = page.with_status(status);
        }
        if let Some(charset) = known.charset() {
            page = page.with_charset(charset);
        }
        page = if known.is_html {
            page.with_html(&known.body)
        } else {
            page.not_html()
        };
        if !known.is_whole {
            page = page.cut_short();
        }
        if !known.has_all_headers {
            page = page.with_cut_headers();
        }
        page
    }
}

impl Robots {
    pub(super) fn as_fetch(&self) -> RobotsFetch<'_> {
        match self {
            Self::Unknown => RobotsFetch::NotFetched,
            Self::File { body, .. } => RobotsFetch::Body(body),
            Self::Fetched(fetched) => fetched.as_fetch(),
        }
    }
}

impl KnownPage {
    /// Reads a saved page: HTML, or a response as `curl -i` prints it.
    fn read(args: &Why) -> Result<Self> {
        let name = args.page.display().to_string();
        let mut file = input::open_file(&args.page)?;
        // Standard input was copied to a file, which is now at its end.
        file.rewind()
            .with_context(|| format!("cannot read {name}"))?;
        let bytes = saved_page::read(&name, file, |warning| notice!("{warning}"))?;
        Ok(match saved_page::parse(&bytes) {
            Saved::Response(response) => Self::of_response(&response),
            Saved::Html => Self {
                is_fetched: false,
                status: None,
                headers: Vec::new(),
                has_all_headers: true,
                is_html: true,
                is_whole: bytes.len() < input::lines::MAX_PAGE_BYTES,
                body: bytes,
            },
        })
    }

    fn of_response(response: &Response<'_>) -> Self {
        let headers = response.header_bytes();
        Self {
            is_fetched: false,
            status: Some(response.status()),
            headers: headers
                .map(|(name, value)| (name.to_owned(), value.to_vec()))
                .collect(),
            has_all_headers: !response.is_head_over_limit(),
            body: response.body().to_vec(),
            is_html: response.is_html(),
            is_whole: !response.is_unread() && !response.is_cut(),
        }
    }

    async fn fetch(fetcher: &Fetcher, url: &str) -> PageEvidence {
        match Self::request(fetcher, url).await {
            Ok(page) => PageEvidence::Known(Box::new(page)),
            Err(fault) => PageEvidence::Unknown(with_causes(&fault)),
        }
    }

    async fn request(fetcher: &Fetcher, url: &str) -> Result<Self, FetchFault> {
        let mut response = fetcher.page(url).await?;
        let mut page = Self::of_head(&response);
        while let Some(chunk) = response.chunk().await? {
            let room = MAX_PAGE_BYTES.saturating_sub(page.body.len());
            page.is_whole = chunk.len() <= room;
            page.body
                .extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
            if !page.is_whole {
                break;
            }
        }
        Ok(page)
    }

    fn of_head(response: &PageResponse) -> Self {
        let headers = response.headers();
        let mut page = Self {
            is_fetched: true,
            status: Some(response.status()),
            headers: headers
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            has_all_headers: true,
            body: Vec::new(),
            is_html: false,
            is_whole: true,
        };
        let media_type = page.media_type();
        page.is_html = media_type.is_missing() || media_type.is_html();
        page
    }

    fn header_lines(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let lines = self.headers.iter();
        lines.map(|(name, value)| (name.as_str(), value.as_slice()))
    }

    /// Returns the value of the first header line with a name; empty if there is none.
    fn header(&self, name: &str) -> &[u8] {
        let mut lines = self.header_lines();
        lines
            .find(|(line, _)| line.eq_ignore_ascii_case(name))
            .map_or(&[], |(_, value)| value)
    }

    pub(super) fn media_type(&self) -> MediaType<'_> {
        MediaType::parse(self.header("content-type"))
    }

    fn charset(&self) -> Option<&str> {
        self.media_type().charset()
    }

    /// Returns the target of a redirect, as written.
    pub(super) fn location(&self) -> Option<String> {
        let is_redirect = matches!(self.status, Some(300..=399));
        let location = self.header("location");
        (is_redirect && !location.is_empty())
            .then(|| String::from_utf8_lossy(location).into_owned())
    }
}

/// Returns whether robots.txt allows this program to fetch the page.
fn may_fetch(user_agent: &str, robots: &Robots, url: &str) -> bool {
    let agent = Agent::from_user_agent(user_agent);
    let token = agent
        .as_ref()
        .map_or("*", |agent| product_token(agent.name()));
    let policy = Policy::under(&Profile::neutral(), token).unwrap_or_default();
    let page = Page::new(url).at(Timestamp::from(SystemTime::now()));
    let decision = policy.decide_under(&policy.robots(robots.as_fetch()), &page);
    decision.may_fetch()
}
