"""Functions that pickles call."""

from __future__ import annotations

from ._native import RobotsTxt


def load_robots_txt(body: bytes, url: str | None) -> RobotsTxt:
    """Parses a pickled robots.txt."""
    return RobotsTxt(body, url=url)
