"""Components for Scrapy 2.13 or newer: robots.txt, META robots, X-Robots-Tag and Crawl-delay, in one decision.

In settings.py:

    ADDONS = {"robots_policy.scrapy.RobotsAddon": 500}

The add-on sets ROBOTSTXT_OBEY, unless the project does, puts `RobotsTxtMiddleware` in the place of Scrapy's, and adds
`PageRobotsMiddleware`. Settings of this module:

* ROBOTS_POLICY_AGENT: the name of the robot, for robots.txt and pages. By default that of ROBOTSTXT_USER_AGENT, of the
  User-Agent header of a request (unless it names no robot), or of USER_AGENT.
* ROBOTS_POLICY_PROFILE: the profile; by default that of the robot's operator, or `neutral`.
* ROBOTS_POLICY_MAX_AGE: the maximum lifetime of a copy of robots.txt in seconds, at least 1. It can only shorten the lifetime
  that the profile and the headers of the response determine.
* ROBOTS_POLICY_TIMEOUT: the timeout of a request for robots.txt in seconds, 30 by default. A spider that closes waits for
  at most one.
* ROBOTS_POLICY_RETRY_PAUSE: the pause in seconds after a request for robots.txt that failed, 60 by default. It doubles with
  each failure, up to an hour. A longer `Retry-After` counts.
* ROBOTS_POLICY_MAX_DELAY: the maximum delay that Crawl-delay can cause, in seconds, 60 by default.
* ROBOTS_POLICY_TDMREP: whether the /.well-known/tdmrep.json of each site is requested, too; False by default.
* ROBOTS_POLICY_NOINDEX: `drop` (the default) drops the items of pages that may not be indexed; `mark` keeps them and
  sets their field ROBOTS_POLICY_FIELD (`robots_policy` by default) to the decision, as a dict. The types of items must have
  the field: an item that cannot have it is kept without.

With ROBOTSTXT_OBEY = False, the add-on does not request robots.txt, but noindex and nofollow of pages still apply. To ignore
them, set `SPIDER_MIDDLEWARES = {"robots_policy.scrapy.PageRobotsMiddleware": None}`.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit
from weakref import WeakKeyDictionary

import scrapy

if scrapy.version_info < (2, 13):
    raise ImportError(f"robots_policy.scrapy needs Scrapy 2.13 or newer: this is {scrapy.__version__}")

from itemadapter import ItemAdapter
from scrapy import signals
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.extensions.httpcache import parse_cachecontrol, rfc1123_to_epoch
from scrapy.http import HtmlResponse, Request, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.robotstxt import RobotParser as ScrapyRobotParser
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.httpobj import urlparse_cached
from twisted.internet.defer import Deferred

from . import Agent, AgentError, Decision, InputError, Policy, Profile, ProfileError, RobotsTxt, Rules, UrlError
from ._by_user_agent import RulesByUserAgent, agent_of
from ._native import _MAX_REDIRECTS, _TDMREP_PATH

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

__all__ = ["PageRobotsMiddleware", "RobotParser", "RobotsAddon", "RobotsTxtMiddleware"]

logger = logging.getLogger(__name__)

#: The key of a response's meta under which the decision about its page is found.
META_KEY = "robots_policy"

#: The minimum lifetime of a copy of robots.txt in seconds, whatever its headers say.
MIN_FRESHNESS = 600

#: The maximum pause after failed requests in seconds. A longer Retry-After counts.
MAX_RETRY_PAUSE = 3600

#: The maximum Retry-After in seconds.
MAX_RETRY_AFTER = 7 * 86_400

#: The number of sites that are known. Past it, those that were not visited recently are requested again.
MAX_SITES = 10_000

DAY = 86_400


class RobotsAddon:
    """An add-on that enables both middlewares."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Puts the middlewares into the settings of a crawler."""
        settings.set("ROBOTSTXT_OBEY", True, "addon")
        # By its path, which the default has: Scrapy 2.13 compares keys as they are.
        path: Any = "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware"
        settings.set_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", path, None)
        settings.setdefault_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", RobotsTxtMiddleware, 100)
        settings.setdefault_in_component_priority_dict("SPIDER_MIDDLEWARES", PageRobotsMiddleware, 850)


@dataclass
class _Failure:
    """A failed request for a robots.txt: the pause after it, and the earliest time of the next one."""

    pause: float
    retry_at: float


@dataclass
class _Site:
    """The facts that one robot knows about a site."""

    origin: str
    #: The policy that decides about requests. An answer replaces it, so requests in flight keep theirs.
    policy: Policy
    #: A policy with the same facts. It learns the failures that follow, and then replaces the other.
    spare: Policy
    tdmrep: bytes | None = None
    failure: _Failure | None = None
    #: The requests that wait for a request for robots.txt, while there is one.
    waiting: list[Deferred[None]] | None = None
    has_delay: bool = False


@dataclass
class _Allowed:
    """The facts of a request that was allowed: its site and robot, the policy that allowed it, and the delay."""

    site: tuple[str, str]
    policy: Policy
    delay: float


@dataclass
class _Slowed:
    """A slot with a Crawl-delay: its own delay and jitter, the delay that was set, and the delays of its sites."""

    slot: Any
    own_delay: float
    own_jitter: Any
    delay: float
    of_sites: dict[tuple[str, str], float] = field(default_factory=dict)


class RobotsTxtMiddleware:
    """A downloader middleware that honours robots.txt, in the place of Scrapy's.

    The profile determines the meaning and the lifetime of each outcome: rules, a 404, a 5xx, no response. Each site (scheme, host
    and port) gets one request for robots.txt from each robot, and other requests wait for the response. They count as active
    requests meanwhile. After a failure, the first request past the pause causes another one, and Scrapy does not retry. Requests
    for robots.txt use the User-Agent and proxy of the page's request, and follow redirects, also those to other sites.

    They do not use Scrapy's HTTP cache: a crawl from the cache alone needs the network, or ROBOTSTXT_OBEY = False. A robots.txt
    that is larger than DOWNLOAD_MAXSIZE, or was cut otherwise, counts as one that cannot be reached.

    Requests that may not be sent raise IgnoreRequest with the reason. An errback finds the decision in
    `failure.request.meta["robots_policy"]`. Requests with `dont_obey_robotstxt` in their meta pass. The stats have Scrapy's names.
    In addition, `robots_policy/forbidden/rule` counts the requests that rules forbid, and `robots_policy/forbidden/outcome` those
    without usable rules. The signal `robots_parsed` is not sent.

    Crawl-delay is the minimum delay of the slot that the request uses, also with AutoThrottle.
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        if not settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured
        self._robots = _Robots(settings)
        self._crawler = crawler
        has_max_age = settings.get("ROBOTS_POLICY_MAX_AGE") is not None
        self._max_age = _seconds(settings, "ROBOTS_POLICY_MAX_AGE", DAY) if has_max_age else None
        self._timeout = _seconds(settings, "ROBOTS_POLICY_TIMEOUT", 30)
        self._retry_pause = _seconds(settings, "ROBOTS_POLICY_RETRY_PAUSE", 60)
        self._max_delay = settings.getfloat("ROBOTS_POLICY_MAX_DELAY", 60.0)
        self._uses_tdmrep = settings.getbool("ROBOTS_POLICY_TDMREP")
        #: The sites by robot and origin, in the order of their last visits.
        self._sites: dict[tuple[str, str], _Site] = {}
        self._allowed: WeakKeyDictionary[Request, _Allowed] = WeakKeyDictionary()
        #: By the keys of slots.
        self._slowed: dict[str, _Slowed] = {}
        crawler.signals.connect(self._set_delay, signal=signals.request_reached_downloader)
        # AutoThrottle sets the delay of a slot after each response. It connects before, so this is called after it.
        crawler.signals.connect(self._keep_delay, signal=signals.response_downloaded)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RobotsTxtMiddleware:
        """Makes the middleware for a crawler."""
        return cls(crawler)

    async def process_request(self, request: Request, spider: Any = None) -> None:
        """Waits for the robots.txt of a request's site. Raises IgnoreRequest if it closes the URL."""
        url = urlparse_cached(request)
        if request.meta.get("dont_obey_robotstxt") or url.scheme not in ("http", "https"):
            return
        host = url.netloc.rpartition("@")[2].lower().removesuffix(":80" if url.scheme == "http" else ":443")
        key = (self._robots.name_of(request), f"{url.scheme}://{host}")
        site = self._site(key)
        await self._update(site, request)
        decision = _fetch_decision(site, request.url)
        if decision.may_fetch:
            self._allow(request, key, site, decision)
            return
        reasons = decision.reasons_for("fetch")
        by_rule = any(reason.source.kind == "robots_txt" for reason in reasons)
        self._count("robotstxt/forbidden")
        self._count(f"robots_policy/forbidden/{'rule' if by_rule else 'outcome'}")
        request.meta[META_KEY] = decision
        text = f"Forbidden by robots.txt: {'; '.join(map(str, reasons))}"
        if site.failure:
            text += f"; requested again from {_date(site.failure.retry_at)}"
        logger.debug("%s: %s", text, request, extra={"spider": self._crawler.spider})
        raise IgnoreRequest(text)

    def policy_of(self, request: Request) -> Policy | None:
        """Returns the policy that allowed a request, with the robots.txt of that time. None if it was not decided here."""
        allowed = self._allowed.get(request)
        return allowed.policy if allowed else None

    def _site(self, key: tuple[str, str]) -> _Site:
        name, origin = key
        site = self._sites.pop(key, None) or _Site(origin, self._robots.policy(name), self._robots.policy(name))
        self._sites[key] = site
        if len(self._sites) > MAX_SITES:
            del self._sites[next(iter(self._sites))]
        return site

    def _allow(self, request: Request, key: tuple[str, str], site: _Site, decision: Decision) -> None:
        delay = min(decision.crawl_delay or 0.0, self._max_delay)
        self._allowed[request] = _Allowed(key, site.policy, delay)
        if delay and not site.has_delay:
            site.has_delay = True
            self._count("robots_policy/crawl_delay/hosts")
            logger.debug("Crawl-delay of %s: %g s", site.origin, delay, extra={"spider": self._crawler.spider})

    async def _update(self, site: _Site, request: Request) -> None:
        """Requests the robots.txt of a site if that is due, or waits for another request for it."""
        while site.waiting is not None or _is_due(site):
            if site.waiting is None:
                site.waiting = []
                try:
                    await self._request_robots_txt(site, request)
                finally:
                    waiting, site.waiting = site.waiting, None
                    for other in waiting:
                        # One that was cancelled has ended.
                        if not other.called:
                            other.callback(None)
                return
            # The other request may be cancelled: then it is still due.
            waiter: Deferred[None] = Deferred()
            site.waiting.append(waiter)
            await maybe_deferred_to_future(waiter)

    async def _request_robots_txt(self, site: _Site, page_request: Request) -> None:
        """Requests the robots.txt of a site, and the tdmrep.json if the settings say so."""
        self._count("robotstxt/request_count")
        response, outcome = await self._fetch(f"{site.origin}/robots.txt", page_request)
        now = time.time()
        facts: dict[str, Any] = {"outcome": outcome}
        if response is not None:
            self._count("robotstxt/response_count")
            self._count(f"robotstxt/response_status_count/{response.status}")
            facts = {
                "body": response.body if 200 <= response.status < 300 else b"",
                "status": response.status,
                "content_type": _header(response, "Content-Type"),
                "fresh_for": self._fresh_for(response, now),
            }
        policies = [self._robots.policy(site.policy.agent) for _ in range(2)]
        for policy in policies:
            policy.learn(site.origin, at=now, **facts)
        if not _is_fresh(policies[0], site.origin, now):
            # A failure, whose meaning depends on the outcomes before.
            policies = [site.spare, site.spare]
            site.spare.learn(site.origin, at=now, **facts)
        site.policy, site.spare = policies
        if _is_fresh(site.policy, site.origin, now):
            site.failure = None
        else:
            pause = min(2 * site.failure.pause, MAX_RETRY_PAUSE) if site.failure else self._retry_pause
            retry_after = 0.0 if response is None else _retry_after(response, now)
            site.failure = _Failure(pause, now + max(pause, retry_after))
            logger.warning(
                "No usable robots.txt of %s (%s): it is requested again from %s",
                site.origin,
                outcome if response is None else f"status {response.status}",
                _date(site.failure.retry_at),
                extra={"spider": self._crawler.spider},
            )
        if self._uses_tdmrep:
            await self._request_tdmrep(site, page_request)

    async def _request_tdmrep(self, site: _Site, page_request: Request) -> None:
        url = f"{site.origin}{_TDMREP_PATH}"
        decision = _fetch_decision(site, url)
        if decision.may_fetch:
            self._count("robots_policy/tdmrep/request_count")
            response, _ = await self._fetch(url, page_request, site, decision)
            if response is not None and response.status == 200:
                site.tdmrep = response.body
            elif response is not None and response.status in (404, 410):
                site.tdmrep = b"[]"
        # After a failure or a refusal, the known one still applies. Without one, it is not known what the file reserves.
        for policy in (site.policy, site.spare):
            try:
                policy.learn_tdmrep(site.origin, site.tdmrep or b"")
            except InputError as error:
                if policy is site.policy:
                    logger.warning("Unusable %s: %s", url, error, extra={"spider": self._crawler.spider})

    async def _fetch(
        self, url: str, page_request: Request, site: _Site | None = None, decision: Decision | None = None
    ) -> tuple[Response | None, str]:
        """Requests a file for another request, with redirects. Returns the response, or the outcome without one."""
        engine = self._crawler.engine
        assert engine
        names = ("User-Agent", "Proxy-Authorization")
        headers = {name: value for name in names if (value := page_request.headers.get(name))}
        # Scrapy chooses the other proxies by the scheme of each URL.
        has_proxy = "proxy" in page_request.meta and not page_request.meta.get("_scheme_proxy")
        for _ in range(_MAX_REDIRECTS + 1):
            meta = {
                "allow_offsite": True,
                # Its copies do not age.
                "dont_cache": True,
                "dont_obey_robotstxt": True,
                "dont_redirect": True,
                # The pause after a failure is that of this module.
                "dont_retry": True,
                "download_timeout": self._timeout,
                **({"proxy": page_request.meta["proxy"]} if has_proxy else {}),
            }
            try:
                request = Request(url, headers=headers, priority=1000, callback=NO_CALLBACK, meta=meta)
                if site and decision:
                    self._allow(request, (site.policy.agent, site.origin), site, decision)
                if hasattr(engine, "download_async"):
                    response = await engine.download_async(request)
                else:  # Scrapy 2.13
                    response = await maybe_deferred_to_future(engine.download(request))
            except Exception as error:
                if not isinstance(error, IgnoreRequest):
                    self._count(f"robotstxt/exception_count/{type(error)}")
                logger.info("Cannot download %s: %r", url, error, extra={"spider": self._crawler.spider})
                return None, "unreachable"
            if _is_cut(response):
                return None, "unreachable"
            if response.status not in (301, 302, 303, 307, 308):
                return response, ""
            location = _header(response, "Location")
            try:
                url = urljoin(response.url, location or "")
                parts = urlsplit(url)
                # Reading the port checks it.
                is_http = parts.scheme in ("http", "https") and parts.port != 0
            except ValueError:
                is_http = False
            # A redirect without a target that HTTP can request means the same as too many.
            if not location or not is_http:
                break
        return None, "too_many_redirects"

    def _fresh_for(self, response: Response, now: float) -> float | None:
        """Returns the seconds for which a response may be used, by its headers and the setting."""
        stated = _freshness(response, now)
        fresh_for = None if stated is None else max(stated, MIN_FRESHNESS)
        return fresh_for if self._max_age is None else min(DAY if fresh_for is None else fresh_for, self._max_age)

    def _set_delay(self, request: Request) -> None:
        """Applies the Crawl-delay of a request's site to its slot; none if its newest robots.txt has none."""
        assert self._crawler.engine
        slots, key = self._crawler.engine.downloader.slots, request.meta.get("download_slot", "")
        if (allowed := self._allowed.get(request)) and (slot := slots.get(key)):
            slowed = self._slowed.get(key)
            if allowed.delay and (slowed is None or slowed.slot is not slot):
                # Scrapy drops slots after a while.
                self._slowed = {key: slowed for key, slowed in self._slowed.items() if slots.get(key) is slowed.slot}
                self._slowed[key] = slowed = _Slowed(slot, slot.delay, getattr(slot, _jitter_of(slot)), slot.delay)
            if slowed:
                slowed.of_sites[allowed.site] = allowed.delay
        self._keep_delay(request)

    def _keep_delay(self, request: Request) -> None:
        """Raises the delay of a request's slot to that of its sites."""
        slowed = self._slowed.get(request.meta.get("download_slot", ""))
        if slowed is None:
            return
        slot = slowed.slot
        if slot.delay != slowed.delay:
            # AutoThrottle changed it.
            slowed.own_delay = slot.delay
        delay = max(slowed.of_sites.values())
        slot.delay = slowed.delay = max(slowed.own_delay, delay)
        # Without jitter, which would shorten every second delay.
        setattr(slot, _jitter_of(slot), 0 if delay else slowed.own_jitter)

    def _count(self, counter: str) -> None:
        assert self._crawler.stats
        self._crawler.stats.inc_value(counter)


class RobotParser(ScrapyRobotParser):
    """A parser for the setting ROBOTSTXT_PARSER of Scrapy's own middleware. It answers for the robot of ROBOTS_POLICY_AGENT, or else
    for the User-Agent of each request; a full User-Agent value finds the group of its robot.

    Raises DialectError for an unknown dialect.
    """

    def __init__(
        self, robotstxt_body: bytes, dialect: str | None = None, agent: str | None = None, profile: Profile | None = None
    ) -> None:
        self._rules = RulesByUserAgent(RobotsTxt(robotstxt_body), dialect, _known, profile)
        self._agent = agent
        # Scrapy parses an empty file when it starts, so a wrong dialect stops it before the first request.
        self._rules_of("*")

    @classmethod
    def from_crawler(cls, crawler: Crawler | None, robotstxt_body: bytes) -> RobotParser:
        """Parses a robots.txt as the profile of ROBOTS_POLICY_PROFILE reads it; without one, as the operator of the robot does."""
        if crawler is None:
            return cls(robotstxt_body)
        settings = crawler.settings
        agent = settings.get("ROBOTS_POLICY_AGENT")
        return cls(robotstxt_body, agent=_text(agent) if agent else None, profile=_profile_of(settings))

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """Returns whether a robot may fetch a URL."""
        return self._rules_of(user_agent).allowed(_text(url))

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        """Returns the seconds between two requests that the file asks of a robot, if it does."""
        return self._rules_of(user_agent).crawl_delay

    def _rules_of(self, user_agent: str | bytes) -> Rules:
        return self._rules[self._agent or _text(user_agent)]


class PageRobotsMiddleware(BaseSpiderMiddleware):
    """A spider middleware that decides about each page: by its META robots and headers and, with `RobotsTxtMiddleware`, by the
    robots.txt of its site. Spiders find the decision in `response.meta["robots_policy"]`.

    Of a page with noindex, items are dropped or marked. Of a page with nofollow, requests are dropped, except those with
    `dont_obey_robotstxt` in their meta. Each is counted in the stats (`robots_policy/noindex/items_dropped`,
    `robots_policy/noindex/items_marked`, `robots_policy/noindex/items_without_field`,
    `robots_policy/nofollow/requests_dropped`) and logged with its reason. The status does not count: a spider that handles error
    pages gets their items. If a page was requested with `dont_obey_robotstxt`, robots.txt counts as unknown.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings = crawler.settings
        self._robots = _Robots(settings)
        self._robots_txt: RobotsTxtMiddleware | None = None
        crawler.signals.connect(self._spider_opened, signal=signals.spider_opened)
        noindex = settings.get("ROBOTS_POLICY_NOINDEX", "drop")
        if noindex not in ("drop", "mark"):
            raise InputError(f"unexpected ROBOTS_POLICY_NOINDEX {noindex!r}: expected 'drop' or 'mark'")
        self._marks = noindex == "mark"
        self._field = settings.get("ROBOTS_POLICY_FIELD", "robots_policy")
        self._types_without_field: set[type] = set()

    def process_spider_input(self, response: Response, spider: Any = None) -> None:
        """Decides about a page before the spider reads it."""
        response.meta[META_KEY] = self._decide(response)

    def get_processed_request(self, request: Request, response: Response | None) -> Request | None:
        """Returns a request of the spider, or None if its page asks robots not to follow its links."""
        decision = _decision(response)
        if decision is None or decision.follow != "no" or request.meta.get("dont_obey_robotstxt"):
            return request
        self._report("nofollow/requests_dropped", "Request dropped", request, decision, "follow")
        return None

    def get_processed_item(self, item: Any, response: Response | None) -> Any:
        """Returns an item of the spider, marked if its page may not be indexed, or None in place of it."""
        decision = _decision(response)
        if decision is None or decision.index in ("yes", "unknown"):
            return item
        if not self._marks:
            self._report("noindex/items_dropped", "Item dropped", response, decision, "index")
            return None
        try:
            ItemAdapter(item)[self._field] = decision.to_dict()
        except (KeyError, AttributeError) as error:
            # No such field, or an item that cannot change.
            self._report("noindex/items_without_field", "Item not marked", response, decision, "index")
            if type(item) not in self._types_without_field:
                self._types_without_field.add(type(item))
                logger.warning(
                    "Items of %s are not marked: add the field %r of ROBOTS_POLICY_FIELD (%s)",
                    type(item).__qualname__,
                    self._field,
                    error,
                    extra={"spider": self.crawler.spider},
                )
            return item
        self._report("noindex/items_marked", "Item marked", response, decision, "index")
        return item

    def _decide(self, response: Response) -> Decision:
        is_html = isinstance(response, HtmlResponse)
        assert response.request
        # Without a policy of the site, one that knows no robots.txt.
        policy = self._robots_txt.policy_of(response.request) if self._robots_txt else None
        policy = policy or self._robots.policy(self._robots.name_of(response.request))
        now = time.time()
        return policy.decide(
            response.url,
            response.body if is_html else None,
            headers=[(name, value) for name, values in response.headers.items() for value in values],
            at=now,
            captured_at=now,
            not_html=not is_html,
            cut_short=_is_cut(response),
        )

    def _spider_opened(self) -> None:
        self._robots_txt = self.crawler.get_downloader_middleware(RobotsTxtMiddleware)

    def _report(self, counter: str, done: str, subject: object, decision: Decision, field: str) -> None:
        assert self.crawler.stats
        self.crawler.stats.inc_value(f"robots_policy/{counter}")
        reason = "; ".join(str(reason) for reason in decision.reasons_for(field))
        logger.debug("%s: %s (%s)", done, subject, reason, extra={"spider": self.crawler.spider})


def _decision(response: Response | None) -> Decision | None:
    return None if response is None else response.meta.get(META_KEY)


def _known(user_agent: str) -> Agent:
    return Agent.known(agent_of(user_agent).name)


class _Robots:
    """The robots of requests: that of the settings, or of a request's own User-Agent if they name none for robots.txt."""

    def __init__(self, settings: BaseSettings) -> None:
        names = ("ROBOTS_POLICY_AGENT", "ROBOTSTXT_USER_AGENT", "USER_AGENT")
        name, user_agent = next(((name, _text(value)) for name in names if (value := settings.get(name))), ("USER_AGENT", "*"))
        self._by_request = name == "USER_AGENT"
        # A file is read once.
        self._profile = _profile_of(settings)
        try:
            self._name = self.policy(agent_of(user_agent).name).agent
        except AgentError as error:
            raise AgentError(
                f"{user_agent!r} does not name a robot: set ROBOTS_POLICY_AGENT to the name of the robot ({error})"
            ) from error

    def name_of(self, request: Request) -> str:
        """Returns the name of a request's robot."""
        user_agent = request.headers.get("User-Agent") if self._by_request else None
        try:
            return self.policy(agent_of(_text(user_agent)).name).agent if user_agent else self._name
        except AgentError:
            return self._name

    def policy(self, name: str) -> Policy:
        """Returns a policy of a robot that knows no sites."""
        return Policy(name, profile=self._profile)


def _profile_of(settings: BaseSettings) -> Profile | None:
    name = settings.get("ROBOTS_POLICY_PROFILE")
    try:
        return Policy("*", profile=name).profile if name else None
    except ProfileError as error:
        raise ProfileError(f"unexpected ROBOTS_POLICY_PROFILE: {error}") from error


def _fetch_decision(site: _Site, url: str) -> Decision:
    # By the last outcome, which was fresh a moment before, or follows a failure.
    return site.policy.decide(url, captured_at=time.time())


def _is_due(site: _Site) -> bool:
    now = time.time()
    if site.failure:
        return now >= site.failure.retry_at
    try:
        fresh_until = site.policy.ask_again_at(site.origin)
    except UrlError:
        # HTTP cannot request it.
        return False
    # It is a whole second, the last one.
    return fresh_until is None or now >= fresh_until + 1


def _is_fresh(policy: Policy, origin: str, now: float) -> bool:
    fresh_until = policy.ask_again_at(origin)
    return fresh_until is not None and fresh_until > now


def _is_cut(response: Response) -> bool:
    return "dataloss" in response.flags or "download_stopped" in response.flags


def _jitter_of(slot: Any) -> str:
    # Scrapy before 2.19 has `randomize_delay`.
    return "jitter" if hasattr(slot, "jitter") else "randomize_delay"


def _seconds(settings: BaseSettings, name: str, default: float) -> float:
    seconds = settings.getfloat(name, default)
    if not seconds >= 1:
        raise InputError(f"unexpected {name} {seconds:g}: expected at least 1 second")
    return seconds


def _freshness(response: Response, now: float) -> float | None:
    """Returns the seconds for which the headers of a response allow it to be kept; None if they do not say (RFC 9111, 4.2.1)."""
    control = parse_cachecontrol(b",".join(response.headers.getlist("Cache-Control")))
    control = {name.strip(): value for name, value in control.items()}
    pragma = b"" if control else response.headers.get("Pragma") or b""
    if b"no-store" in control or b"no-cache" in control or b"no-cache" in pragma:
        return 0.0
    states_time = b"s-maxage" in control or b"max-age" in control or "Expires" in response.headers
    if states_time and response.headers.get("Vary") == b"*":
        # It is an answer to that request alone.
        return 0.0
    age = _number(response.headers.get("Age")) or 0.0
    # A crawler shares its copies, except of a response that is private.
    for name in (b"max-age",) if b"private" in control else (b"s-maxage", b"max-age"):
        if name in control:
            return (_number(control[name]) or 0.0) - age
    if expires := response.headers.get("Expires"):
        # A date that cannot be read is past.
        return (rfc1123_to_epoch(expires) or 0) - _sent_at(response, now) - age
    return 0.0 if states_time else None


def _retry_after(response: Response, now: float) -> float:
    """Returns the seconds of a response's Retry-After (RFC 9110, 10.2.3); 0 without one."""
    value = response.headers.get("Retry-After")
    wait = _number(value)
    if wait is None:
        wait = (rfc1123_to_epoch(value) or 0) - _sent_at(response, now)
    return min(max(wait, 0.0), MAX_RETRY_AFTER)


def _sent_at(response: Response, now: float) -> float:
    """Returns the time of a response by the clock of its server, if it states one."""
    sent = rfc1123_to_epoch(response.headers.get("Date"))
    return now if sent is None else sent


def _number(value: bytes | None) -> float | None:
    digits = (value or b"").strip().strip(b'"')
    # A larger number counts as this one (RFC 9111, section 1.2.2).
    return min(float(digits), 2.0**31) if digits.isdigit() else None


def _header(response: Response, name: str) -> str | None:
    value = response.headers.get(name)
    return None if value is None else _text(value)


def _date(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def _text(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode("utf-8", "replace")
