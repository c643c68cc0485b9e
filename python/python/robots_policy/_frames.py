"""Frames with decisions: the columns of a frame, and those of the decisions about its pages."""

from __future__ import annotations

import struct
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from ._arguments import listed, reread
from ._errors import InputError
from ._native import ArrowStream, FrozenRobotsBook, Policy, Profile, RobotsBook, _whole_seconds, decide_stream, decision_columns

if TYPE_CHECKING:
    import pyarrow as pa
    from typing_extensions import Unpack

#: The columns of pages that a frame need not have.
_OPTIONAL = ("status", "headers", "robots_txt", "robots_status", "robots_content_type", "robots_fetched_at", "fetched_at")

#: The columns of decisions that a frame has already.
_KNOWN = ("url", "status")

#: The maximum number of rows that are decided at once. `decide_stream` does not divide such a batch.
_BATCH_ROWS = 8_192

#: The maximum size of batches of several rows, 64 MiB: offsets of 32 bits can hold it, even if they count bits.
_BATCH_BYTES = 1 << 26


class PageNames(TypedDict, total=False):
    """The names of the columns of pages that a frame need not have; None if a column is not read."""

    status: str | None
    headers: str | None
    robots_txt: str | None
    robots_status: str | None
    robots_content_type: str | None
    robots_fetched_at: str | None
    fetched_at: str | None


def decide_frame(
    frame: Any,
    robots: Any = None,
    *,
    url: str = "url",
    html: str = "html",
    agents: str | Iterable[str] | None = None,
    profiles: Profile | str | Iterable[Profile | str] | None = None,
    policies: Policy | Iterable[Policy] | None = None,
    at: Literal["now"] | float | datetime | None = "now",
    explain: bool = False,
    fields: str | Iterable[str] | None = None,
    keep: str | Iterable[str] | None = None,
    prefix: str = "",
    **names: Unpack[PageNames],
) -> Any:
    """Decides about the pages of a frame, and returns the frame with the decisions: a row for each page and robot.

    A DataFrame of Polars or pandas is returned as such, the index of pandas too, and a RecordBatchReader of pyarrow as a reader, which decides
    as it is read. Any other object with `__arrow_c_stream__`, such as a relation of DuckDB, becomes a Table of pyarrow. All but Polars need
    pyarrow. A row that cannot be decided has the reason in `error`, the last column. The arguments:

    * robots: robots.txt captures for the rows without a robots.txt of their own: a book, or a table that `robots_policy.spark.write_robots`
      has written. The one that was in force at `fetched_at` decides, or else the last one. A book has agents and profiles, too.
    * url, html, status, headers, robots_txt, robots_status, robots_content_type, robots_fetched_at, fetched_at: the names of the columns that
      `decide_batch` reads. All but the first two may be missing if they are not named here; None: the column is not read.
    * agents, profiles, policies, at, explain: as for `decide_batch`.
    * fields: the columns of decisions that are added, in place of all but `url` and `status`.
    * keep: the columns of the frame that are kept, in place of all. Without the page, the result is smaller.
    * prefix: a text before the names of the columns that are added, `error` too.

    Raises InputError if a column is missing, is there twice or has another type, or if columns of the frame and of the decisions have the
    same name.
    """
    if robots is not None and not isinstance(robots, (RobotsBook, FrozenRobotsBook)):
        from ._tasks import book_of, captures_of

        robots, agents, profiles = book_of(captures_of(robots), agents, profiles), None, None
    book = robots.freeze() if isinstance(robots, RobotsBook) else robots
    fields, keep = reread(fields), reread(keep)
    settings = Settings(reread(agents), reread(profiles), reread(policies), book, _whole_seconds(at), explains(explain, fields))
    polars, pandas = sys.modules.get("polars"), sys.modules.get("pandas")

    def columns_of(known: Iterable[str]) -> Columns:
        return find_columns(list(known), {"url": url, "html": html, **names}, fields, keep, prefix, explain)

    if polars is not None and isinstance(frame, polars.DataFrame):
        columns = columns_of(frame.columns)
        decisions = polars.DataFrame(settings.decide(frame.select(**columns.pages), columns))
        added = decisions.select(**{added: name for name, added in columns.added.items()})
        if not columns.kept:
            return added
        kept = frame.select(columns.kept)
        return (kept if len(added) == len(frame) else kept[decisions["row"]]).hstack(added)
    import pyarrow as pa

    if pandas is not None and isinstance(frame, pandas.DataFrame):
        columns = columns_of(frame.columns)
        faults: dict[int, str] = {}
        # The last is the URL. Without it, a row with a fault is not decided.
        roles = sorted(columns.pages, key=lambda role: role == "url")
        pages = pa.table({role: _of_pandas(role, frame[columns.pages[role]], faults) for role in roles})
        decisions = pa.table(settings.decide(pages, columns)).to_pandas()
        if faults:
            decisions["error"] = decisions["row"].map(faults).fillna(decisions["error"])
        kept = frame[columns.kept]
        kept = kept if len(decisions) == len(frame) else kept.take(decisions["row"])
        added = decisions[list(columns.added)].set_axis(list(columns.added.values()), axis=1)
        return pandas.concat([kept, added.set_axis(kept.index)], axis=1)
    if not hasattr(frame, "__arrow_c_stream__"):
        raise TypeError(f"expected a data frame, or another object with __arrow_c_stream__, got {type(frame).__qualname__}")
    reader = pa.RecordBatchReader.from_stream(frame)
    columns = columns_of(reader.schema.names)
    decided = pa.RecordBatchReader.from_batches(decided_schema(reader.schema, columns, settings), decided_batches(reader, columns, settings))
    return decided if isinstance(frame, pa.RecordBatchReader) else decided.read_all()


def _of_pandas(role: str, column: Any, faults: dict[int, str]) -> pa.ChunkedArray:
    """Returns a column of pandas, without the rows that have faults: new ones are texts that Arrow cannot hold.

    Bytes are not copied, as little of a large page is read.
    """
    import pyarrow as pa

    if faults:
        column = column.astype(object).mask([row in faults for row in range(len(column))], None)
    present = column.dropna()
    # Without values, pandas has an arbitrary type. URLs must be texts or bytes.
    if present.empty and role != "url":
        return pa.chunked_array([pa.nulls(len(column))])
    if not present.empty and not (column.dtype == object and all(type(value) is bytes for value in present)):
        try:
            return pa.chunked_array(pa.Array.from_pandas(column))
        except UnicodeEncodeError:
            pass
        for row, value in enumerate(column):
            try:
                pa.array([value], from_pandas=True)
            except UnicodeEncodeError:
                faults[row] = f"{role} has a lone surrogate: expected a text that UTF-8 can encode"
        return _of_pandas(role, column, faults)
    parts = [column.iloc[start : start + _BATCH_ROWS] for start in range(0, len(column), _BATCH_ROWS)]
    return pa.chunked_array(map(_views, parts), pa.binary_view())


def _views(values: Iterable[Any]) -> pa.Array:
    """Returns bytes as views of their memory, each of which is a buffer. Other values are null."""
    import pyarrow as pa

    views: list[bytes] = []
    valid: list[bool] = []
    buffers: list[pa.Buffer] = []
    for value in values:
        valid.append(type(value) is bytes)
        value = value if valid[-1] else b""
        if len(value) <= 12:
            views.append(struct.pack("<i12s", len(value), value))
        else:
            views.append(struct.pack("<i4sii", len(value), value, len(buffers), 0))
            buffers.append(pa.py_buffer(value))
    validity = pa.array(valid).buffers()[1]
    return pa.Array.from_buffers(pa.binary_view(), len(views), [validity, pa.py_buffer(b"".join(views)), *buffers])


def explains(explain: bool, fields: str | Iterable[str] | None) -> bool:
    """Returns whether decisions need the columns of all reasons and warnings."""
    return explain or any(name.endswith("_json") for name in listed(fields or []))


@dataclass(frozen=True)
class Settings:
    """The arguments of `decide_stream`."""

    agents: Any = None
    profiles: Any = None
    policies: Any = None
    book: FrozenRobotsBook | None = None
    at: Any = None
    explain: bool = False

    def decide(self, pages: Any, columns: Columns) -> ArrowStream:
        """Decides about pages. An error about a column has its name in the frame, too."""
        try:
            return decide_stream(pages, **vars(self))
        except InputError as error:
            renamed = [f"{role} is {name!r} in the frame" for role, name in columns.pages.items() if role != name]
            if not renamed or "column" not in str(error):
                raise
            raise InputError(f"{error} ({', '.join(renamed)})") from None


@dataclass(frozen=True)
class Columns:
    """The names of the columns of a frame that are read, by their roles, and of those that are kept; and the names that columns of decisions get."""

    pages: dict[str, str]
    kept: list[str]
    added: dict[str, str]


def find_columns(
    known: list[str],
    pages: Mapping[str, Any],
    fields: str | Iterable[str] | None,
    keep: str | Iterable[str] | None,
    prefix: str,
    explain: bool,
) -> Columns:
    """Finds the columns that arguments of `decide_frame` name. `known` are those of the frame."""
    for role in pages:
        if role not in ("url", "html", *_OPTIONAL):
            raise TypeError(f"unexpected argument {role!r}")
    found = {role: role for role in _OPTIONAL if role in known}
    found = {role: name for role, name in {**found, **pages}.items() if name is not None}
    kept = known if keep is None else listed(keep)
    counts = Counter(known)
    for argument, name in [*found.items(), *(("keep", name) for name in kept)]:
        if counts[name] > 1:
            raise InputError(f"the frame has {counts[name]} columns {name!r}: rename them, or pass others as {argument}")
        if not counts[name]:
            raise InputError(f"the frame has no column {name!r}, which {argument} names: its columns are {', '.join(map(str, known))}")
    chosen = _added(fields, explain)
    for argument, names in {"keep": kept, "fields": chosen}.items():
        if len(set(names)) < len(names):
            raise InputError(f"{argument} has a name twice: {', '.join(map(str, names))}")
    added = {name: prefix + name for name in [*chosen, "error"]}
    # Spark and DuckDB do not distinguish capitals.
    taken = {str(name).lower() for name in kept}
    clashes = [repr(name) for name in added.values() if name.lower() in taken]
    if clashes:
        raise InputError(
            f"the frame and the decisions have columns of the same names: {', '.join(clashes)}: pass a prefix for those of the decisions, "
            "such as prefix='robots_', or select columns with keep and fields"
        )
    return Columns(found, kept, added)


def _added(fields: str | Iterable[str] | None, explain: bool) -> list[str]:
    """Returns the columns of decisions that are added."""
    known = [name for name in decision_columns(explain=explain or fields is not None).column_names if name not in ("file", "offset")]
    if fields is None:
        return [name for name in known if name not in _KNOWN]
    fields = [name for name in listed(fields) if name != "error"]
    for name in fields:
        if name not in known:
            raise InputError(f"there is no field {name!r}; the fields are {', '.join(known)}")
    return fields


def decided_batches(batches: Iterable[pa.RecordBatch], columns: Columns, settings: Settings) -> Iterator[pa.RecordBatch]:
    """Returns batches with decisions. Large ones are divided."""
    import pyarrow as pa
    import pyarrow.compute as pc

    parts = (part for batch in batches for part in _divided(batch))
    first = next(parts, None)
    if first is None:
        return
    fields = [first.schema.field(name).with_name(role) for role, name in columns.pages.items()]
    # The part that is being decided: the stream reads one, and returns its decisions, before it reads another.
    last = first

    def pages() -> Iterator[pa.RecordBatch]:
        nonlocal last
        for last in chain([first], parts):
            yield pa.RecordBatch.from_arrays([last.column(name) for name in columns.pages.values()], schema=pa.schema(fields))

    row = 0
    for decided in settings.decide(pa.RecordBatchReader.from_batches(pa.schema(fields), pages()), columns):
        decisions = pa.record_batch(decided)
        kept, rows = last.select(columns.kept), pc.subtract(decisions.column("row"), row)
        row += len(last)
        schema = kept.schema
        for name, added in columns.added.items():
            schema = schema.append(pa.field(added, decisions.schema.field(name).type))
        repeats = len(rows) // len(last) if len(last) else 1
        sources = kept.columns if repeats == 1 else [_without_nested_views(column) for column in kept.columns]
        for start, count in _ranges(sources, repeats, 0, len(rows)):
            numbers = rows.slice(start, count)
            taken = [column.slice(start, count) if repeats == 1 else _taken(column, numbers) for column in sources]
            taken = [column if column.type == kind else column.cast(kind) for column, kind in zip(taken, kept.schema.types, strict=True)]
            new = [decisions.column(name).slice(start, count) for name in columns.added]
            yield pa.RecordBatch.from_arrays([*taken, *new], schema=schema)


def decided_schema(schema: pa.Schema, columns: Columns, settings: Settings) -> pa.Schema:
    """Returns the schema of `decided_batches`. Raises the errors of settings and columns."""
    import pyarrow as pa

    empty = pa.RecordBatch.from_arrays([pa.nulls(0, field.type) for field in schema], schema=schema)
    return next(decided_batches([empty], columns, settings)).schema


def _divided(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    for start in range(0, len(batch) or 1, _BATCH_ROWS):
        part = batch.slice(start, _BATCH_ROWS)
        for first, count in _ranges(part.columns, 1, 0, len(part)):
            yield part.slice(first, count)


def _ranges(columns: list[pa.Array], repeats: int, start: int, count: int) -> Iterator[tuple[int, int]]:
    """Divides repeated rows of columns by their size: returns where parts start, and their numbers of rows."""
    first, end = start // repeats, -(-(start + count) // repeats)
    # A slice of no rows has the memory that is not divided: dictionaries, and the texts of views.
    size = sum(column.slice(first, end - first).nbytes - column.slice(first, 0).nbytes for column in columns)
    if count < 2 or size * min(repeats, count) <= _BATCH_BYTES:
        yield start, count
    else:
        yield from _ranges(columns, repeats, start, count // 2)
        yield from _ranges(columns, repeats, start + count // 2, count - count // 2)


def _taken(column: pa.Array, rows: pa.Array) -> pa.Array:
    """Returns the rows of a column with these numbers."""
    import pyarrow as pa

    if column.type in (pa.string_view(), pa.binary_view()):
        # pyarrow cannot take views, but values of their size. Their texts are not copied.
        validity, views, *texts = column.buffers()
        taken = pa.Array.from_buffers(pa.binary(16), len(column), [validity, views], offset=column.offset).take(rows)
        return pa.Array.from_buffers(column.type, len(taken), [*taken.buffers(), *texts], offset=taken.offset)
    try:
        return column.take(rows)
    except pa.ArrowNotImplementedError:
        # This is slower, but can take values of any type, such as run-end-encoded ones.
        return pa.concat_arrays([column.slice(row, 1) for row in rows.to_pylist()])


def _without_nested_views(column: pa.Array) -> pa.Array:
    """Returns a column with texts in place of views within lists and structs. `_taken` could take these, but not share their memory."""
    import pyarrow as pa

    def changed(kind: pa.DataType) -> pa.DataType:
        if kind in (pa.string_view(), pa.binary_view()):
            return pa.large_string() if kind == pa.string_view() else pa.large_binary()
        if pa.types.is_struct(kind):
            return pa.struct([field.with_type(changed(field.type)) for field in kind])
        if pa.types.is_large_list(kind):
            return pa.large_list(kind.value_field.with_type(changed(kind.value_type)))
        if pa.types.is_fixed_size_list(kind):
            return pa.list_(kind.value_field.with_type(changed(kind.value_type)), kind.list_size)
        return kind

    kind = changed(column.type) if pa.types.is_nested(column.type) else column.type
    try:
        return column if kind == column.type else column.cast(kind)
    except pa.ArrowNotImplementedError:
        return column
