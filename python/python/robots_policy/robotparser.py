"""The interface of urllib.robotparser, with the answers of RFC 9309 or of another dialect.

    >>> from robots_policy.robotparser import RobotFileParser
    >>> parser = RobotFileParser("https://example.com/robots.txt")
    >>> parser.parse(["User-agent: *", "Disallow: /private", "Allow: /private/open"])
    >>> parser.can_fetch("ExampleBot/1.0 (+https://example.com)", "https://example.com/private/open")
    True

Under the dialect `python-robotparser`, the answers are those of the standard library in CPython 3.8 to 3.12:

    >>> parser = RobotFileParser(dialect="python-robotparser")
    >>> parser.parse(["User-agent: *", "Disallow: /private", "Allow: /private/open"])
    >>> parser.can_fetch("ExampleBot", "https://example.com/private/open")
    False
"""

from __future__ import annotations

import http.client
import urllib.error
import urllib.parse
import urllib.request
import urllib.robotparser
from collections.abc import Iterable
from urllib.robotparser import RequestRate

from . import Agent, Dialect, RobotsTxt
from ._by_user_agent import RulesByUserAgent, agent_of, as_python_reads, text_to_bytes
from ._native import _MAX_BODY

__all__ = ["RobotFileParser"]


class RobotFileParser(urllib.robotparser.RobotFileParser):
    """A robots.txt, with the methods of urllib.robotparser.RobotFileParser.

    The longest rule decides, wildcards count, and groups are chosen as in RFC 9309. A full User-Agent value finds the
    group of its robot. Another dialect is an argument, or an attribute of a subclass. Under `python-robotparser`, the
    answers are those of the standard library, and a User-Agent value is compared as it is. README.md lists the
    differences that are left.
    """

    url: str
    last_checked: float
    #: The dialect under which files are read.
    dialect: Dialect | str = Dialect.RFC9309

    def __init__(self, url: str = "", *, dialect: Dialect | str | None = None) -> None:
        super().__init__(url)
        if dialect is not None:
            self.dialect = dialect
        self._is_pythons = str(self.dialect).lower() == Dialect.PYTHON_ROBOTPARSER
        self._set_body(b"")
        # An unknown dialect is an error here.
        self._rules["*"]

    def read(self) -> None:
        """Fetches the robots.txt and parses it. As in the standard library, 401 and 403 disallow everything, other
        statuses from 400 to 499 allow everything, and after other failures nothing may be fetched."""
        try:
            with urllib.request.urlopen(self.url) as response:
                body = response.read(_MAX_BODY)
                # Unlike `read()`, it does not raise for a response that broke off.
                rest = getattr(response, "length", None)
                if rest and len(body) < _MAX_BODY:
                    raise http.client.IncompleteRead(body, rest)
        except urllib.error.HTTPError as error:
            if error.code in (401, 403):
                self.disallow_all = True
            elif 400 <= error.code < 500:
                self.allow_all = True
            error.close()
        else:
            if self._is_pythons:
                # str.splitlines() ends lines at more characters than a file of bytes does.
                self.parse(body.decode("utf-8", "surrogateescape").splitlines())
                return
            self._set_body(body)
            self.modified()

    def parse(self, lines: Iterable[str]) -> None:
        """Parses the lines of a robots.txt, with or without their line ends. Under `python-robotparser`, as in the
        standard library, a line with a line end is not empty: pass `text.splitlines()`."""
        text = as_python_reads(lines) if self._is_pythons else "\n".join(line.rstrip("\r\n") for line in lines)
        self._set_body(text_to_bytes(text))
        self.modified()

    def _set_body(self, body: bytes) -> None:
        self._rules = RulesByUserAgent(RobotsTxt(body), self.dialect, Agent if self._is_pythons else agent_of)

    def can_fetch(self, useragent: str, url: str) -> bool:
        """Returns whether a robot may fetch a URL. False if no robots.txt was read."""
        if self.disallow_all:
            return False
        if self.allow_all:
            return True
        if not self.last_checked:
            return False
        if self._is_pythons and "#" in url:
            # The standard library compares the fragment too.
            url = url.replace("#", "%23")
        return self._rules[useragent].allowed(url)

    def crawl_delay(self, useragent: str) -> int | float | None:  # type: ignore[override]
        """Returns the seconds between two requests that the file asks for; None if it names none or was not read."""
        if not self.mtime():
            return None
        delay = self._rules[useragent].crawl_delay
        if delay is not None and delay.is_integer():
            return int(delay)
        return None if self._is_pythons else delay

    def request_rate(self, useragent: str) -> RequestRate | None:
        """Returns the first rate of requests that the file names; None if it names none or was not read."""
        if not self.mtime():
            return None
        rate = self._rules[useragent].request_rate
        return None if rate is None else RequestRate(rate.documents, rate.period)

    def site_maps(self) -> list[str] | None:
        """Returns the URLs of the sitemaps; None if there are none."""
        sitemaps = self._rules.robots.sitemaps
        if self._is_pythons:
            sitemaps = [urllib.parse.unquote(url) for url in sitemaps]
        return sitemaps or None

    def __str__(self) -> str:
        return self._rules.robots.body.decode("utf-8", "replace")
