"""Arguments that functions of several modules have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def listed(values: Any) -> list[Any]:
    """Returns one text or several as a list."""
    return [values] if isinstance(values, str) else list(values)


def reread(values: Any) -> Any:
    """Returns an argument that is read several times: several values are a list, as an iterator is read once."""
    return list(values) if isinstance(values, Iterable) and not isinstance(values, str) else values
