"""The work of the tasks of a join by origin: pages and robots.txt captures as rows, and decisions about sorted rows."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from . import OriginDecider, read_pages
from ._extents import Extent, opened
from ._tasks import CAPTURES, OF_ROWS, check, extra_columns, once, rows_of, until_failure, with_schema

#: The kinds of rows: captures come before the pages of their origin.
CAPTURE, PAGE, PROBLEM = range(3)

#: A capture, as `RobotsBook.from_rows` takes it: the time is in seconds.
CAPTURE_TYPE = pa.struct([(name, pa.int64() if name == "captured_at" else CAPTURES.field(name).type) for name in OF_ROWS])

#: The rows that are sorted, by their first five columns. The key is the URL of the robots.txt of an origin; salt is the number of the part
#: of its pages.
SORTED = pa.schema(
    [
        ("key", pa.string()),
        ("salt", pa.int64()),
        ("kind", pa.int8()),
        ("file", pa.string()),
        ("row", pa.int64()),
        ("facts", pa.binary()),
        ("capture", CAPTURE_TYPE),
        ("error", pa.string()),
    ]
)

#: The number of parts of the rows without an origin.
_PARTS_WITHOUT_ORIGIN = 1_024

#: The number of sorted rows that are in memory as objects of Python.
_ROWS = 256


@dataclass
class PageOptions:
    """Robots and profiles for which pages are read, and the number of parts of the pages of large origins, by key.

    With `fails`, a problem of an archive is an error. With `evidence`, pages have their digests, and captures their places.
    """

    agents: Any
    profiles: Any
    salts: Mapping[str, int] = field(default_factory=dict)
    fails: bool = False
    evidence: bool = False


def page_rows(extent: Extent, options: PageOptions) -> Iterator[pa.RecordBatch]:
    """Reads the pages of an extent of an archive. Its problems are rows with `file` and `error`."""
    path = extent.path
    problems: list[str] = []
    without_origin = zlib.crc32(path.encode("utf-8", "surrogateescape")) % _PARTS_WITHOUT_ORIGIN

    def read() -> Iterator[pa.RecordBatch]:
        counts: Counter[str] = Counter()
        # Each extent begins with a salt of its own: many small extents fill all parts of an origin.
        first = zlib.crc32(f"{path}:{extent.offset}".encode("utf-8", "surrogateescape"))

        def salt(key: str) -> int:
            if not key:
                return without_origin
            parts = options.salts.get(key, 1)
            if parts == 1:
                return 0
            counts[key] += 1
            return (first + counts[key]) % parts

        with opened(extent) as (archive, name):
            arguments: dict[str, Any] = {"agents": options.agents, "profiles": options.profiles, "evidence": options.evidence}
            arguments |= {"threads": 1, "on_warning": problems.append}
            arguments |= extent.arguments() | ({} if archive is path else {"name": name})
            for read_batch in read_pages(archive, **arguments):
                batch = pa.record_batch(read_batch)
                keys = batch.column("key").to_pylist()
                columns = {name: batch.column(name) for name in batch.schema.names}
                columns["salt"] = pa.array(map(salt, keys), pa.int64())
                columns["kind"] = pa.array([PAGE] * len(keys), pa.int8())
                empty = {column.name: pa.nulls(len(keys), column.type) for column in SORTED if column.name not in columns}
                columns |= empty
                yield pa.RecordBatch.from_arrays([columns[name] for name in SORTED.names], schema=SORTED)

    failure = yield from until_failure(path, read())
    problems = once(problems, failure)
    check(path, problems, options.fails)
    if problems:
        count = len(problems)
        place: dict[str, list[Any]] = {"key": [""] * count, "salt": [without_origin] * count, "kind": [PROBLEM] * count}
        yield rows_of(SORTED, **place, file=[path or None] * count, row=list(range(count)), error=problems)


def sorted_decisions(batches: Iterator[pa.RecordBatch], options: PageOptions, at: int | None, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Decides about the pages among sorted rows. Problems become rows with only `file` and `error`."""
    decider = OriginDecider(agents=options.agents, profiles=options.profiles, at=at, **extra_columns(schema))
    for batch in batches:
        is_problem = pc.equal(batch.column("kind"), pa.scalar(PROBLEM, pa.int8()))
        problems = batch.filter(is_problem)
        if len(problems):
            yield rows_of(schema, file=problems.column("file").to_pylist(), error=problems.column("error").to_pylist())
        known = batch.filter(pc.invert(is_problem)) if len(problems) else batch
        for start in range(0, len(known), _ROWS):
            for decided in decider.add(_tuples(known.slice(start, _ROWS))):
                yield with_schema(pa.record_batch(decided), schema)
    for decided in decider.finish():
        yield with_schema(pa.record_batch(decided), schema)


def _tuples(batch: pa.RecordBatch) -> list[tuple[Any, ...]]:
    """Returns the rows of an OriginDecider."""
    kinds = batch.column("kind").to_pylist()
    captures: list[Any] = [None] * len(kinds)
    if CAPTURE in kinds:
        fields = [values.to_pylist() for values in batch.column("capture").flatten()]
        captures = [values if kind == CAPTURE else None for kind, values in zip(kinds, zip(*fields, strict=True), strict=True)]
    columns = [batch.column(name).to_pylist() for name in ("key", "salt", "file", "facts")]
    return list(zip(*columns, captures, strict=True))
