"""Decisions about the archives of a crawl with Dask: two steps, each a data frame.

    captures = robots(robots_archives).persist()
    decisions = decide(page_archives, captures, agents=["GPTBot"], profiles="google")

The columns, the faults and the arguments are those of `robots_policy.spark`; their types are those of Arrow. Each archive is a
partition. Redirects are followed to robots.txt files, and to other URLs within the archive of the redirect.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

import dask
import dask.dataframe
import pandas as pd
import pyarrow as pa

from . import Profile
from ._extents import Extent, divided
from ._tasks import CAPTURES, book_of, capture_batches, decision_batches, decision_schema, listed, whole_seconds

if TYPE_CHECKING:
    from dask.dataframe import DataFrame

__all__ = ["decide", "robots"]


def robots(paths: str | Iterable[str]) -> DataFrame:
    """Reads the robots.txt captures of archives: a row for each, reusable for all robots and profiles."""
    return _frame([dask.delayed(_captured)(extent) for extent in divided(listed(paths), None)], CAPTURES)


def decide(
    pages: str | Iterable[str],
    robots: DataFrame,
    *,
    agents: str | Iterable[str] | None = None,
    profiles: Profile | str | Iterable[Profile | str] | None = None,
    at: float | datetime | None = None,
    explain: bool = False,
    fields: Iterable[str] | None = None,
) -> DataFrame:
    """Decides about the pages of archives, by a data frame of robots.txt captures: a row for each page and robot."""
    schema, seconds = decision_schema(explain, fields), whole_seconds(at)
    table = pa.Table.from_pandas(robots.compute(), schema=CAPTURES, preserve_index=False)
    # One value of the graph: it is sent to a worker once.
    book = dask.delayed(book_of(table, agents, profiles), traverse=False)
    return _frame([dask.delayed(_decided)(extent, book, seconds, schema) for extent in divided(listed(pages), None)], schema)


def _captured(extent: Extent) -> pd.DataFrame:
    return _in_pandas(capture_batches(extent, None), CAPTURES)


def _decided(extent: Extent, book: Any, seconds: int, schema: pa.Schema) -> pd.DataFrame:
    return _in_pandas(decision_batches(extent, book, seconds, schema), schema)


def _in_pandas(batches: Iterator[pa.RecordBatch], schema: pa.Schema) -> pd.DataFrame:
    return pa.Table.from_batches(batches, schema).to_pandas(types_mapper=pd.ArrowDtype)


def _frame(parts: list[Any], schema: pa.Schema) -> DataFrame:
    empty = _in_pandas(iter(()), schema)
    return dask.dataframe.from_delayed(parts or [dask.delayed(empty)], meta=empty, verify_meta=False)
