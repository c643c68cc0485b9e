"""The work of a task on another machine: an archive in, Arrow batches out. For Spark and other engines."""

from __future__ import annotations

import io
from collections.abc import Generator, Iterable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.compute as pc

from . import (
    ArchiveError,
    FrozenRobotsBook,
    InputError,
    RobotsBook,
    captures,
    decide_warc_batches,
    decision_columns,
    index_entries,
    records,
)
from ._arguments import listed
from ._extents import Extent, opened
from ._frames import explains

#: A type of other engines for times: Spark has only microseconds.
_TIME = pa.timestamp("us", tz="UTC")

#: The columns of a table of robots.txt captures.
CAPTURES = pa.schema(
    [
        ("file", pa.string()),
        ("row", pa.int64()),
        ("origin", pa.string()),
        ("url", pa.string()),
        ("captured_at", _TIME),
        ("outcome", pa.string()),
        ("status", pa.int64()),
        ("content_type", pa.string()),
        ("target", pa.string()),
        ("body", pa.binary()),
        ("offset", pa.int64()),
        ("digest", pa.string()),
        ("warning", pa.string()),
        ("error", pa.string()),
    ]
)

#: The columns that a book is made of, in the order of `RobotsBook.from_rows`.
OF_ROWS = ["url", "captured_at", "outcome", "status", "content_type", "target", "body", "file", "offset", "digest"]

#: The columns of these that a table of captures may lack: those of evidence.
PLACE = ["offset", "digest"]

#: The columns of evidence, apart from those of reasons and warnings.
EVIDENCE = set(decision_columns(evidence=True).column_names) - set(decision_columns(explain=True).column_names)

#: The form of the URLs of captures, as they are compared: without capitals and a user before the path, and in ASCII.
USUAL_URL = r'^https?://[!"$-.0->\[-~]+/[!-~]*$'

#: The start of a URL that names the port of its scheme, which is left out.
DEFAULT_PORT = r"^(http://[^/]*:80|https://[^/]*:443)/"

#: The types of columns of any size.
_LARGE = {pa.string(): pa.large_string()}

#: For the last profile a robots.txt is kept whole, as its dialect has no limit of size. So the captures serve every profile.
_WHOLE = ("google", "duckduckgo")


def decision_schema(explain: bool, evidence: bool, fields: str | Iterable[str] | None) -> pa.Schema:
    """Returns the columns of decisions: all, or `fields`, and `error`."""
    is_any = fields is not None
    schema = pa.schema(decision_columns(explain=explain or is_any, evidence=evidence or is_any))
    names = schema.names if fields is None else listed(fields)
    for name in names:
        if name not in schema.names:
            known = ", ".join(schema.names)
            raise InputError(f"there is no field {name!r}; the fields are {known}")
    if len(set(names)) < len(names):
        raise InputError(f"a field is named twice: {', '.join(names)}")
    types = [schema.field(name).type for name in names]
    types = [_TIME if pa.types.is_timestamp(kind) else kind for kind in types]
    return pa.schema([*zip(names, types, strict=True), ("error", pa.string())])


def extra_columns(schema: pa.Schema) -> dict[str, bool]:
    """Returns whether decisions with these columns have all reasons and warnings, and evidence: arguments."""
    return {"explain": explains(False, schema.names), "evidence": not EVIDENCE.isdisjoint(schema.names)}


def record_schema(columns: str | Iterable[str] | None, filters: dict[str, Any] | None = None) -> pa.Schema:
    """Returns the columns of records: all but `block`, or these, and `error`. Raises what these filters of `records` do."""
    names = None if columns is None else [name for name in listed(columns) if name != "error"]
    # The schema of any archive, such as an empty one.
    schema = pa.schema(records(io.BytesIO(), columns=names, **(filters or {})))
    fields = [field for field in schema if field.name != "error"]
    return pa.schema([*fields, pa.field("error", pa.string())])


def record_batches(extent: Extent, schema: pa.Schema, filters: dict[str, Any]) -> Iterator[pa.RecordBatch]:
    """Reads the records of an extent of an archive that pass filters: `types`, `statuses`, `mime_types`, `faults`.

    The reason why it could not be read to its end is the last row, with only `file` and `error`.
    """
    path = extent.path

    def read() -> Iterator[pa.RecordBatch]:
        with opened(extent) as (archive, name):
            for batch in records(archive, columns=schema.names, name=name, **filters, **extent.arguments()):
                yield pa.record_batch(batch)

    failure = yield from until_failure(path, read())
    if failure is not None:
        if not filters.get("faults", True) or "error" not in schema.names:
            # No row can tell it.
            raise ArchiveError(failure)
        yield rows_of(schema, file=[path or None], error=[failure])


#: The columns of the entries of an index.
INDEX = pa.schema(index_entries(io.BytesIO()))


def index_batches(extent: Extent) -> Iterator[pa.RecordBatch]:
    """Reads the entries of a CDXJ index. The reason why it could not be read to its end is a row with only `error`."""

    def read() -> Iterator[pa.RecordBatch]:
        with opened(extent) as (index, name):
            for batch in index_entries(index, name=name):
                yield pa.record_batch(batch)

    failure = yield from until_failure(extent.path, read())
    if failure is not None:
        yield rows_of(INDEX, error=[failure])


def decision_batches(extent: Extent, book: FrozenRobotsBook, at: int | None, schema: pa.Schema, fails: bool) -> Iterator[pa.RecordBatch]:
    """Decides about the pages of an extent of an archive. Its problems are rows with only `file` and `error`, or else it fails."""
    path = extent.path
    problems: list[str] = []

    def decided() -> Iterator[pa.RecordBatch]:
        with opened(extent) as (archive, name):
            options: dict[str, Any] = {"at": at, "threads": 1, "on_warning": problems.append}
            options |= extra_columns(schema) | extent.arguments() | ({} if archive is path else {"name": name})
            for batch in decide_warc_batches(archive, book, **options):
                yield with_schema(pa.record_batch(batch), schema)

    failure = yield from until_failure(path, decided())
    problems = once(problems, failure)
    check(path, problems, fails)
    if problems:
        yield rows_of(schema, file=[path or None] * len(problems), error=problems)


def capture_batches(extent: Extent, urls: Iterable[str] | None) -> Iterator[pa.RecordBatch]:
    """Reads the robots.txt captures of an archive, or those of `urls`. Its problems are rows with `warning` or `error`."""
    path = extent.path
    warnings: list[str] = []

    def captured() -> Iterator[pa.RecordBatch]:
        with opened(extent) as (archive, name):
            names = None if archive is path else name
            book = captures(archive, profiles=_WHOLE, urls=urls, threads=1, name=names, on_warning=warnings.append)
        yield from _capture_rows(path, book)

    failure = yield from until_failure(path, captured())
    problems = once(warnings, failure)
    if problems:
        warning = [None if problem == failure else problem for problem in problems]
        error = [failure if problem == failure else None for problem in problems]
        yield rows_of(CAPTURES, file=[path] * len(problems), warning=warning, error=error)


def license_edges(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Returns the licences that robots.txt files name: pairs of a URL and a target. The columns are `url` and `body`."""
    for batch in batches:
        edges: list[tuple[str, str]] = []
        for url, body in zip(batch.column("url").to_pylist(), batch.column("body").to_pylist(), strict=True):
            row = (url, None, "response", 200, None, None, body)
            edges += [(url, target) for target in RobotsBook.from_rows([row], profiles=_WHOLE).missing_targets]
        columns = [[edge[at] for edge in edges] for at in (0, 1)]
        yield pa.RecordBatch.from_arrays([pa.array(column, pa.string()) for column in columns], names=["url", "target"])


def unusual_url(url: str) -> InputError:
    """Returns the error for a table of captures with a URL that is not normalized."""
    return InputError(f"unexpected url {url!r} in the table of captures: expected it in the form of the function robots")


def captures_of(frame: Any) -> pa.Table:
    """Returns a table of captures in a frame with `__arrow_c_stream__`, with the columns that decisions need, of their types."""
    table = pa.table(frame)
    names = ["row", *OF_ROWS, "error"]
    for name in names:
        if name not in table.column_names:
            if name not in PLACE:
                raise InputError(f"the table of captures has no column {name!r}: pass one that robots_policy.spark.write_robots has written")
            table = table.append_column(name, pa.nulls(len(table)))
    return table.select(names).cast(pa.schema([CAPTURES.field(name) for name in names]))


def book_of(table: pa.Table, agents: Any, profiles: Any) -> FrozenRobotsBook:
    """Returns the book of a table of captures. Raises ArchiveError if an archive could not be read."""
    errors = table.column("error").drop_null()
    if len(errors):
        raise unread(len(errors), str(errors[0]))
    urls = table.column("url").filter(pc.is_valid(table.column("outcome")))
    is_usual = pc.and_(pc.match_substring_regex(urls, USUAL_URL), pc.invert(pc.match_substring_regex(urls, DEFAULT_PORT)))
    unusual = urls.filter(pc.invert(pc.fill_null(is_usual, False)))
    if len(unusual):
        raise unusual_url(unusual[0].as_py() or "null")
    return RobotsBook.from_rows(book_rows(table), agents=agents, profiles=profiles).freeze()


def unread(count: int, example: str) -> ArchiveError:
    """Returns the error for archives of robots.txt files that could not be read."""
    return ArchiveError(
        f"{count} archives of robots.txt files could not be read, such as {example}: read them again, or leave out their "
        "rows (where error is not null) to decide without them"
    )


def book_rows(table: pa.Table) -> Iterator[tuple[Any, ...]]:
    """Returns the captures of a table, those of an archive in the order in which they were read."""
    columns = {name: table.column(name) for name in [*OF_ROWS, "row"]}
    bodies = columns.pop("body")
    # A column may have more than 2 GiB of text, and sorting puts it into one piece. Bodies stay where they are.
    columns = {name: column.cast(_LARGE.get(column.type, column.type)) for name, column in columns.items()}
    columns["body"] = pa.array(range(len(table)), pa.int64())
    known = pa.table(columns).filter(pc.is_valid(table.column("outcome")))
    # Of two captures of a URL in the same second, the later one counts. The order of archives is that of their names.
    known = known.sort_by([("file", "ascending"), ("row", "ascending")]).select(OF_ROWS)
    for batch in known.to_batches(max_chunksize=4_096):
        times = pc.floor_temporal(batch.column("captured_at"), unit="second").cast(pa.timestamp("s", tz="UTC")).cast(pa.int64())
        values = {name: (times if name == "captured_at" else batch.column(name)).to_pylist() for name in OF_ROWS}
        values["body"] = [bodies[place].as_py() for place in values["body"]]
        yield from zip(*values.values(), strict=True)


def _capture_rows(path: str, book: RobotsBook) -> Iterator[pa.RecordBatch]:
    rows = book.to_rows()
    for start in range(0, len(rows), 4_096):
        part = rows[start : start + 4_096]
        columns = dict(zip(OF_ROWS, map(list, zip(*part, strict=True)), strict=True))
        columns["captured_at"] = [None if time is None else time * 1_000_000 for time in columns["captured_at"]]
        columns["file"] = [path] * len(part)
        columns["row"] = list(range(start, start + len(part)))
        columns["origin"] = ["{0.scheme}://{0.netloc}".format(urlsplit(url)) for url in columns["url"]]
        yield rows_of(CAPTURES, **columns)


def rows_of(schema: pa.Schema, **columns: list[Any]) -> pa.RecordBatch:
    """Returns a batch with these columns, and nulls in the others. Columns that the schema does not have are left out."""
    count = len(next(iter(columns.values())))
    values = [columns.get(field.name, [None] * count) for field in schema]
    arrays = [pa.array(value, type=field.type) for value, field in zip(values, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def with_schema(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Returns a batch with the columns of a schema; `error` is null."""
    error = pa.nulls(len(batch), pa.string())
    columns = [error if field.name == "error" else batch.column(field.name).cast(field.type) for field in schema]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def until_failure(path: str, batches: Iterator[pa.RecordBatch]) -> Generator[pa.RecordBatch, None, str | None]:
    """Returns batches up to an exception, and the text of that. Another try would fail as well, and end the job."""
    try:
        yield from batches
    except BaseException as error:
        # Another try may have more memory. A panic in Rust is a defect, and not an Exception.
        is_of_archive = isinstance(error, Exception) or type(error).__name__ == "PanicException"
        if isinstance(error, MemoryError) or not is_of_archive:
            raise
        return _named(path, str(error) or type(error).__name__)
    return None


def once(warnings: list[str], failure: str | None) -> list[str]:
    """Returns the problems of an archive: its failure last, and not as a warning before."""
    if failure is None:
        return warnings
    return [warning for warning in warnings if failure not in warning] + [failure]


def check(path: str, problems: list[str], fails: bool) -> None:
    """Raises ArchiveError for the first problem of an archive, if it `fails` by them."""
    if problems and fails:
        raise ArchiveError(_named(path, problems[0]))


def _named(path: str, text: str) -> str:
    return text if path in text else f"{path}: {text}"
