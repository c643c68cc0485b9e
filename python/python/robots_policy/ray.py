"""Decisions about the archives of a crawl with Ray Data: two steps, each a dataset.

    captures = robots(robots_archives).materialize()
    decisions = decide(page_archives, captures, agents=["GPTBot"], profiles="google")

The columns, the faults and the arguments are those of `robots_policy.spark`. Each archive is a block. Redirects are followed to
robots.txt files, and to other URLs within the archive of the redirect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import ray

from . import Profile
from ._extents import Extent, divided
from ._tasks import CAPTURES, book_of, capture_batches, decision_batches, decision_schema, listed, whole_seconds

if TYPE_CHECKING:
    from ray.data import Dataset

__all__ = ["decide", "robots"]


def robots(paths: str | Iterable[str]) -> Dataset:
    """Reads the robots.txt captures of archives: a row for each, reusable for all robots and profiles."""
    return _map_archives(paths, lambda extent: capture_batches(extent, None), CAPTURES)


def decide(
    pages: str | Iterable[str],
    robots: Dataset,
    *,
    agents: str | Iterable[str] | None = None,
    profiles: Profile | str | Iterable[Profile | str] | None = None,
    at: float | datetime | None = None,
    explain: bool = False,
    fields: Iterable[str] | None = None,
) -> Dataset:
    """Decides about the pages of archives, by a dataset of robots.txt captures: a row for each page and robot."""
    schema, seconds = decision_schema(explain, fields), whole_seconds(at)
    table = pa.concat_tables(ray.get(robots.to_arrow_refs()))
    book = ray.put(book_of(table, agents, profiles))
    return _map_archives(pages, lambda extent: decision_batches(extent, _loaded(book), seconds, schema), schema)


@lru_cache(maxsize=1)
def _loaded(book: ray.ObjectRef) -> Any:
    """Returns a book. A process loads it once."""
    return ray.get(book)


def _map_archives(paths: str | Iterable[str], work: Callable[[Extent], Iterator[pa.RecordBatch]], schema: pa.Schema) -> Dataset:
    items = [{"path": extent.path, "fault": extent.fault} for extent in divided(listed(paths), None)]

    def run(block: pa.Table) -> Iterator[pa.Table]:
        # Blocks without rows have the columns, too.
        yield schema.empty_table()
        for item in block.to_pylist():
            for batch in work(Extent(item["path"], fault=item["fault"])):
                yield pa.Table.from_batches([batch])

    archives = ray.data.from_items(items, override_num_blocks=max(1, len(items)))
    return archives.map_batches(run, batch_format="pyarrow", batch_size=1)
