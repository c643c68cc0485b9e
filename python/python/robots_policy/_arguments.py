"""Arguments that functions of several modules have."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal

from ._errors import InputError


def listed(values: Any) -> list[Any]:
    """Returns one text or several as a list."""
    return [values] if isinstance(values, str) else list(values)


def reread(values: Any) -> Any:
    """Returns an argument that is read several times: several values are a list, as an iterator is read once."""
    return list(values) if isinstance(values, Iterable) and not isinstance(values, str) else values


def whole_seconds(at: Literal["now"] | float | datetime | None) -> int | None:
    """Returns a time in seconds since 1970; None for no clock. All tasks and their retries share it."""
    if at is None:
        return None
    if at == "now":
        at = time.time()
    if isinstance(at, datetime):
        if at.utcoffset() is None:
            raise InputError("datetime without a time zone: expected one with tzinfo, such as datetime.now(timezone.utc)")
        at = at.timestamp()
    if not isinstance(at, (int, float)) or not math.isfinite(at):
        raise InputError(f'unexpected time {at!r}: expected "now", a datetime or a finite number of seconds')
    return math.floor(at)
