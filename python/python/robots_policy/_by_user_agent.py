"""The rules of one file, by the User-Agent values of robots, and the lines of a file as Python reads them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from . import Agent, Dialect, InputError, Profile, RobotsTxt, Rules

#: The number of robots whose rules are kept. When there are more, all are compiled again.
MAX_AGENTS = 256

#: Line ends within a line, and white space that only Python's str.strip() removes.
_UNUSUAL = re.compile("[\r\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")


def agent_of(user_agent: str) -> Agent:
    """Returns the robot in a full User-Agent value, or else the robot of this name."""
    return Agent.from_user_agent(user_agent) or Agent(user_agent)


class RulesByUserAgent:
    """Compiles the rules of a robot when they are first asked for."""

    def __init__(
        self,
        robots: RobotsTxt,
        dialect: Dialect | str | None = Dialect.RFC9309,
        find_agent: Callable[[str], Agent] = agent_of,
        profile: Profile | None = None,
    ) -> None:
        self.robots = robots
        self._dialect = dialect
        self._profile = profile
        self._find_agent = find_agent
        self._rules: dict[str, Rules] = {}

    def __getitem__(self, user_agent: str) -> Rules:
        """Returns the rules of the robot that `find_agent` finds: by default, of the name in a full User-Agent value, or
        of a name."""
        rules = self._rules.get(user_agent)
        if rules is None:
            if len(self._rules) >= MAX_AGENTS:
                self._rules.clear()
            rules = self._rules[user_agent] = self.robots.rules(
                self._find_agent(user_agent), self._dialect, profile=self._profile
            )
        return rules


def text_to_bytes(text: str) -> bytes:
    """Returns the bytes of a robots.txt that was decoded, with surrogateescape or without."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise InputError(
            f"unexpected lone surrogate at character {error.start}: expected a text that UTF-8 can encode"
        ) from error

def as_python_reads(lines: Iterable[str]) -> str:
    """Returns lines as one text, in which each is a line as Python reads it."""
    each = list(lines)
    text = "\n".join(each)
    if text.count("\n") == max(len(each) - 1, 0) and not _UNUSUAL.search(text):
        return text
    return "\n".join(map(_as_one_line, each))


def _as_one_line(line: str) -> str:
    """Returns a line without comment and white space, and with line ends escaped. Only an empty line stays empty."""
    if not line:
        return line
    field, colon, value = line.partition("#")[0].partition(":")
    text = field.strip() + colon + value.strip()
    return text.replace("\n", "%0A").replace("\r", "%0D") or " "
