"""The interface of Protego, with the answers of RFC 9309 or of another dialect.

    >>> from robots_policy.protego import Protego
    >>> robots = Protego.parse("User-agent: *\\nDisallow: /private\\nCrawl-delay: 2")
    >>> robots.can_fetch("https://example.com/private/x", "ExampleBot/1.0 (+https://example.com)")
    False
    >>> robots.crawl_delay("ExampleBot")
    2.0

Under the dialect `protego`, the answers are those of Protego 0.7.0:

    >>> robots = Protego.parse("User-agent: Example\\nDisallow: /a?b%3Dc", dialect="protego")
    >>> robots.can_fetch("https://example.com/a?b=c", "Mozilla/5.0 (compatible; ExampleBot/1.0)")
    False
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import time
from typing import NamedTuple
from urllib.parse import urlparse, urlsplit

from . import Agent, Dialect, RobotsTxt
from ._by_user_agent import RulesByUserAgent, agent_of, as_python_reads, text_to_bytes

__all__ = ["Protego", "RequestRate", "VisitTime"]


class RequestRate(NamedTuple):
    """A number of requests in a number of seconds, and the hours of the day, in UTC, in which it applies."""

    requests: int
    seconds: int
    start_time: time | None
    end_time: time | None


class VisitTime(NamedTuple):
    """The hours of the day, in UTC, for visits. An end at midnight is `time(0, 0)`."""

    start_time: time
    end_time: time


class Protego:
    """A robots.txt, with the methods of protego.Protego: `Protego.parse(text)`.

    A full User-Agent value finds the group of its robot. Another dialect is an argument, or an attribute of a subclass.
    Under `protego`, the answers are those of Protego, and a User-Agent value is compared as it is. README.md lists the
    differences.
    """

    #: The dialect under which texts are read.
    dialect: Dialect | str = Dialect.RFC9309

    def __init__(self) -> None:
        self._set_text("")

    @classmethod
    def parse(cls, content: str, *, dialect: Dialect | str | None = None) -> Protego:
        """Parses the text of a robots.txt. Raises TypeError for bytes, as Protego does."""
        if not isinstance(content, str):
            raise TypeError(f"unexpected {type(content).__name__}: expected the text of a robots.txt as str")
        parser = cls()
        if dialect is not None:
            parser.dialect = dialect
        parser._set_text(content)
        # An unknown dialect is an error here.
        parser._rules["*"]
        return parser

    def _set_text(self, content: str) -> None:
        self._is_protegos = str(self.dialect).lower() == Dialect.PROTEGO
        if self._is_protegos:
            content = as_python_reads(content.splitlines())
        robots = RobotsTxt(text_to_bytes(content))
        self._rules = RulesByUserAgent(robots, self.dialect, Agent if self._is_protegos else agent_of)

    def can_fetch(self, url: str, user_agent: str) -> bool:
        """Returns whether a robot may fetch a URL, or a path that begins with `/`."""
        if self._is_protegos:
            # With any query: the dialect has only the path itself.
            if "/robots.txt" in url and urlparse(url).path == "/robots.txt":
                return True
            url = f"https://host{_path(url)}"
        return self._rules[user_agent].allowed(url)

    def crawl_delay(self, user_agent: str) -> float | None:
        """Returns the seconds between two requests that the file asks of a robot, if it does."""
        return self._rules[user_agent].crawl_delay

    def request_rate(self, user_agent: str) -> RequestRate | None:
        """Returns the first rate of requests that the file asks of a robot, if it does; under `protego`, the last."""
        rates = self._rules[user_agent].request_rates
        if not rates:
            return None
        rate = rates[-1 if self._is_protegos else 0]
        start, end = _hours(rate.window) or (None, None)
        return RequestRate(rate.documents, rate.period, start, end)

    def visit_time(self, user_agent: str) -> VisitTime | None:
        """Returns the hours in which the file wants visits of a robot, if it names them."""
        hours = _hours(self._rules[user_agent].visit_time)
        return None if hours is None else VisitTime(*hours)

    @property
    def sitemaps(self) -> Iterator[str]:
        """The URLs of the sitemaps, as written."""
        return iter(self._rules.robots.sitemaps_under(self.dialect))

    @property
    def preferred_host(self) -> str | None:
        """The value of the last `Host` line, if there is one."""
        hosts = self._rules.robots.hosts
        return hosts[-1] if hosts else None


def _path(url: str) -> str:
    """Returns path and query of a URL as Protego reads it: a text without `//` is a path."""
    url = url.partition("#")[0]
    parts = urlsplit(url)
    path = f"{parts.path}?{parts.query}" if "?" in url else parts.path
    return path if path.startswith("/") else f"/{path}"


def _hours(window: str | None) -> tuple[time, time] | None:
    """Reads `0600-0845`; `2400` is midnight."""
    if window is None:
        return None
    start, end = window.split("-")
    return _time(start), _time(end)


def _time(text: str) -> time:
    return time(int(text[:2]) % 24, int(text[2:]))
