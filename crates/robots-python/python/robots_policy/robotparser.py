"""The interface of urllib.robotparser, with the answers of RFC 9309.

    >>> from robots_policy.robotparser import RobotFileParser
    >>> parser = RobotFileParser("https://example.com/robots.txt")
    >>> parser.parse(["User-agent: *", "Disallow: /private", "Allow: /private/open"])
    >>> parser.can_fetch("ExampleBot/1.0 (+https://example.com)", "https://example.com/private/open")
    True
"""

from __future__ import annotations

import urllib.error
import urllib.request
import urllib.robotparser
from collections.abc import Iterable
from urllib.robotparser import RequestRate

from . import RobotsTxt
from ._by_user_agent import RulesByUserAgent, text_to_bytes

__all__ = ["RobotFileParser"]

#: The number of bytes of a robots.txt that are read: as many as RobotsTxt keeps.
MAX_BODY = 16 * 1024 * 1024


class RobotFileParser(urllib.robotparser.RobotFileParser):
    """A robots.txt, with the methods of urllib.robotparser.RobotFileParser.

    The longest rule decides, wildcards count, and groups are chosen as in RFC 9309. A full User-Agent value finds the
    group of its robot. README.md lists the other differences from the standard library.
    """

    url: str
    last_checked: float

    def __init__(self, url: str = "") -> None:
        super().__init__(url)
        self._rules = RulesByUserAgent(RobotsTxt(b""))

    def read(self) -> None:
        """Fetches the robots.txt and parses it. As in the standard library, 401 and 403 disallow everything, other
        statuses from 400 to 499 allow everything, and after other failures nothing may be fetched."""
        try:
            with urllib.request.urlopen(self.url) as response:
                body = response.read(MAX_BODY)
        except urllib.error.HTTPError as error:
            if error.code in (401, 403):
                self.disallow_all = True
            elif 400 <= error.code < 500:
                self.allow_all = True
            error.close()
        else:
            self._parse_body(body)

    def parse(self, lines: Iterable[str]) -> None:
        """Parses the lines of a robots.txt, with or without their line ends."""
        self._parse_body(text_to_bytes("\n".join(line.rstrip("\r\n") for line in lines)))

    def _parse_body(self, body: bytes) -> None:
        self._rules = RulesByUserAgent(RobotsTxt(body))
        self.modified()

    def can_fetch(self, useragent: str, url: str) -> bool:
        """Returns whether a robot may fetch a URL. False if no robots.txt was read."""
        if self.disallow_all:
            return False
        if self.allow_all:
            return True
        if not self.last_checked:
            return False
        return self._rules[useragent].allowed(url)

    def crawl_delay(self, useragent: str) -> int | float | None:  # type: ignore[override]
        """Returns the seconds between two requests that the file asks for; None if it names none or was not read."""
        if not self.mtime():
            return None
        delay = self._rules[useragent].crawl_delay
        return int(delay) if delay is not None and delay.is_integer() else delay

    def request_rate(self, useragent: str) -> RequestRate | None:
        """Returns the first rate of requests that the file names; None if it names none or was not read."""
        if not self.mtime():
            return None
        rate = self._rules[useragent].request_rate
        return None if rate is None else RequestRate(rate.documents, rate.period)

    def site_maps(self) -> list[str] | None:
        """Returns the URLs of the sitemaps; None if there are none."""
        return self._rules.robots.sitemaps or None

    def __str__(self) -> str:
        return self._rules.robots.body.decode("utf-8", "replace")
