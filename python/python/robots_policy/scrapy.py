"""Components for Scrapy 2.19 or newer: a parser of robots.txt, META robots and X-Robots-Tag, and Crawl-delay.

In settings.py:

    ROBOTSTXT_OBEY = True
    ROBOTSTXT_PARSER = "robots_policy.scrapy.RobotParser"
    SPIDER_MIDDLEWARES = {"robots_policy.scrapy.PageRobotsMiddleware": 850}
    EXTENSIONS = {"robots_policy.scrapy.CrawlDelay": 500}

Each works without the others. Settings of this module:

* ROBOTS_POLICY_AGENT: the name of the robot, for robots.txt and pages. By default that of ROBOTSTXT_USER_AGENT, or of
  USER_AGENT; RobotParser then answers for the User-Agent of each request, as Scrapy asks it.
* ROBOTS_POLICY_PROFILE: the profile for pages; by default that of the robot's operator, or `neutral`.
* ROBOTS_POLICY_DIALECT: the dialect for robots.txt; by default, the file is read as the operator of the robot reads it.
* ROBOTS_POLICY_NOINDEX: `drop` (the default) drops the items of pages that may not be indexed; `mark` keeps them and
  sets their field ROBOTS_POLICY_FIELD (`robots_policy` by default) to the decision, as a dict. The types of items must have
  the field: an item that cannot have it is kept without.
* ROBOTS_POLICY_MAX_DELAY: the longest delay that Crawl-delay can cause, in seconds, 60 by default.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy import signals
from scrapy.http import HtmlResponse, Request, Response
from scrapy.robotstxt import RobotParser as ScrapyRobotParser
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from . import Agent, AgentError, Decision, DialectError, InputError, Policy, ProfileError, RobotsTxt, Rules
from ._by_user_agent import RulesByUserAgent, agent_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

__all__ = ["CrawlDelay", "PageRobotsMiddleware", "RobotParser"]

logger = logging.getLogger(__name__)

#: The key of a response's meta under which the decision about its page is found.
META_KEY = "robots_policy"


class RobotParser(ScrapyRobotParser):
    """A parser for the setting ROBOTSTXT_PARSER. A full User-Agent value finds the group of its robot.

    With `agent`, it answers for this robot, whichever the caller names. Raises DialectError for an unknown dialect.
    """

    def __init__(self, robotstxt_body: bytes, dialect: str | None = None, agent: str | None = None) -> None:
        self._rules = RulesByUserAgent(RobotsTxt(robotstxt_body), dialect, _known)
        self._agent = agent
        # Scrapy parses an empty file when it starts, so a wrong dialect stops it before the first request.
        self._rules_of("*")

    @classmethod
    def from_crawler(cls, crawler: Crawler | None, robotstxt_body: bytes) -> RobotParser:
        """Parses a robots.txt for the robot of ROBOTS_POLICY_AGENT, under the dialect of ROBOTS_POLICY_DIALECT."""
        if crawler is None:
            return cls(robotstxt_body)
        settings = crawler.settings
        agent = settings.get("ROBOTS_POLICY_AGENT")
        dialect = settings.get("ROBOTS_POLICY_DIALECT") or None
        try:
            return cls(robotstxt_body, dialect, _text(agent) if agent else None)
        except DialectError as error:
            raise DialectError(f"unexpected ROBOTS_POLICY_DIALECT: {error}") from error

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """Returns whether a robot may fetch a URL."""
        return self._rules_of(user_agent).allowed(_text(url))

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        """Returns the seconds between two requests that the file asks of a robot, if it does."""
        return self._rules_of(user_agent).crawl_delay

    def _rules_of(self, user_agent: str | bytes) -> Rules:
        return self._rules[self._agent or _text(user_agent)]


class PageRobotsMiddleware(BaseSpiderMiddleware):
    """A spider middleware that honours META robots and X-Robots-Tag.

    Of a page with noindex, items are dropped or marked. Of a page with nofollow, requests are dropped, except those with
    `dont_obey_robotstxt` in their meta. Each is counted in the stats (`robots_policy/noindex/items_dropped`,
    `robots_policy/noindex/items_marked`, `robots_policy/noindex/items_without_field`,
    `robots_policy/nofollow/requests_dropped`) and logged with its reason. The
    status does not count: a spider that handles error pages gets their items. Spiders find the decision in `response.meta["robots_policy"]`.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings = crawler.settings
        self._policy = _policy(settings)
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
        if decision is None or decision.may_follow or request.meta.get("dont_obey_robotstxt"):
            return request
        self._report("nofollow/requests_dropped", "Request dropped", request, decision, "follow")
        return None

    def get_processed_item(self, item: Any, response: Response | None) -> Any:
        """Returns an item of the spider, marked if its page may not be indexed, or None in place of it."""
        decision = _decision(response)
        if decision is None or decision.may_index:
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
        return self._policy.decide(
            response.url,
            response.body if is_html else None,
            headers=[(name, value) for name, values in response.headers.items() for value in values],
            not_html=not is_html,
            cut_short="dataloss" in response.flags,
        )

    def _report(self, counter: str, done: str, subject: object, decision: Decision, field: str) -> None:
        assert self.crawler.stats
        self.crawler.stats.inc_value(f"robots_policy/{counter}")
        reason = "; ".join(str(reason) for reason in decision.reasons_for(field))
        logger.debug("%s: %s (%s)", done, subject, reason, extra={"spider": self.crawler.spider})


class CrawlDelay:
    """An extension that delays the requests to a host as its robots.txt asks with Crawl-delay.

    A longer delay of the settings DOWNLOAD_DELAY and DOWNLOAD_SLOTS stays. AutoThrottle sets the same delay, so this
    needs AUTOTHROTTLE_ENABLED off.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._agent = _user_agent(crawler.settings)
        self._default_delay = crawler.settings.getfloat("DOWNLOAD_DELAY")
        self._max_delay = crawler.settings.getfloat("ROBOTS_POLICY_MAX_DELAY", 60.0)
        crawler.signals.connect(self._robots_parsed, signal=signals.robots_parsed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> CrawlDelay:
        """Makes the extension for a crawler."""
        return cls(crawler)

    def _robots_parsed(self, robotparser: ScrapyRobotParser, request: Request) -> None:
        asked = robotparser.crawl_delay(self._agent)
        if asked is None:
            return
        delay = min(asked, self._max_delay)
        assert self._crawler.engine and self._crawler.stats
        downloader = self._crawler.engine.downloader
        key = downloader.get_slot_key(request)
        settings = downloader.per_slot_settings.get(key, {})
        if delay <= settings.get("delay", self._default_delay):
            return
        # Without jitter, which would shorten every second delay. The settings are for slots that Scrapy makes later:
        # it removes idle ones.
        downloader.per_slot_settings[key] = {**settings, "delay": delay, "jitter": 0.0}
        if slot := downloader.slots.get(key):
            slot.delay, slot.jitter = delay, 0.0
        self._crawler.stats.inc_value("robots_policy/crawl_delay/hosts")
        logger.debug("Crawl-delay of %s: %g s", key, delay, extra={"spider": self._crawler.spider})


def _decision(response: Response | None) -> Decision | None:
    return None if response is None else response.meta.get(META_KEY)


def _known(user_agent: str) -> Agent:
    return Agent.known(agent_of(user_agent).name)


def _user_agent(settings: BaseSettings) -> str:
    for name in ("ROBOTS_POLICY_AGENT", "ROBOTSTXT_USER_AGENT", "USER_AGENT"):
        if value := settings.get(name):
            return _text(value)
    return "*"


def _policy(settings: BaseSettings) -> Policy:
    user_agent = _user_agent(settings)
    try:
        return Policy(agent_of(user_agent).name, profile=settings.get("ROBOTS_POLICY_PROFILE"))
    except AgentError as error:
        raise AgentError(
            f"{user_agent!r} does not name a robot: set ROBOTS_POLICY_AGENT to the name of the robot ({error})"
        ) from error
    except ProfileError as error:
        raise ProfileError(f"unexpected ROBOTS_POLICY_PROFILE: {error}") from error


def _text(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode("utf-8", "replace")
