"""Decisions about the archives of a crawl, or the pages of a table, on a Spark cluster: two steps, each a DataFrame.

    robots = write_robots(spark, robots_archives, "robots.parquet")
    decisions = decide(spark, pages=page_archives, robots=robots, agents=["GPTBot"], profiles="google")
    table = decide_table(spark.table("pages"), robots, html="content", agents=["GPTBot"], profiles="google")

The table of robots.txt captures depends neither on robots nor on profiles: it is read once for all. A file, or a part of one, is a task, in which
Rust opens the archive. HTML enters neither Python nor the JVM. Archives are paths that all workers can read, or URLs that fsspec
knows (`s3://`, `https://`), if it is installed on the workers: their packed bytes go through Python.

This needs PySpark 4.0 or newer with pyarrow and, on every worker, this package. On Spark Connect, captures that are broadcast are part of the plan,
whose size is limited. docs/scale.md of the project has a walk-through.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Literal

import pyarrow as pa
import pyspark

if int(pyspark.__version__.split(".")[0]) < 4:
    raise ImportError(
        f"robots_policy.spark needs PySpark 4.0 or newer, found {pyspark.__version__}, which has neither DataFrame.toArrow nor data sources in Python"
    )

from pyspark.errors import PySparkTypeError, UnsupportedOperationException
from pyspark.sql.functions import coalesce, col, count, lit, when
from pyspark.sql.functions import min as least
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from . import InputError, Profile, RobotsBook
from ._arguments import listed, reread
from ._by_origin import PageOptions
from ._extents import PART_BYTES, divided
from ._frames import Columns, PageNames, Settings, decided_batches, decided_schema, explains, find_columns
from ._native import _MAX_REDIRECT_SEARCHES, _whole_seconds
from ._spark_pages import Archives, Work, pages_of, sent
from ._spark_shuffle import NAMES_LICENSE, decide_sorted
from ._tasks import (
    CAPTURES,
    DEFAULT_PORT,
    INDEX,
    OF_ROWS,
    PLACE,
    USUAL_URL,
    book_of,
    book_rows,
    capture_batches,
    decision_batches,
    decision_schema,
    index_batches,
    record_batches,
    record_schema,
    unread,
    unusual_url,
    extra_columns,
)
from ._warc_source import WarcDataSource, listed_paths, register

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from typing_extensions import Unpack

__all__ = [
    "BROADCAST_BYTES",
    "PART_BYTES",
    "WarcDataSource",
    "decide",
    "decide_table",
    "index_entries",
    "listed_paths",
    "missing_targets",
    "records",
    "register",
    "robots",
    "write_robots",
]

#: The approximate memory of captures in a process up to which `decide` sends them to all: 1 GiB.
BROADCAST_BYTES = 1 << 30

#: The memory of a capture without its body, in bytes: 2.7 KB were measured with bodies of 1.6 KB, and 300 bytes more have its place.
_CAPTURE_BYTES = 1_400


def robots(
    spark: SparkSession, paths: str | Iterable[str], *, urls: str | Iterable[str] | None = None, partitions: int | None = None
) -> DataFrame:
    """Reads the robots.txt captures of archives: a row for each, reusable for all robots and profiles.

    The columns are file; row, which orders the captures of a URL in a file; origin; url; captured_at; outcome, status, content_type, target,
    body, offset and digest, as `RobotsBook.to_rows` has them; warning and error. A row with a warning or an error has no other value than its file.
    An archive with an error was not read to its end, and its captures are missing.

    * urls: URLs to read in place of robots.txt files, such as `missing_targets`.
    * partitions: the number of tasks, one for each archive by default.

    Each action reads the archives again: write the table, or persist it.
    """
    wanted = None if urls is None else sorted(listed(urls))
    extents = divided(listed(paths), None)
    return Archives(spark, extents, partitions).map(capture_batches, wanted, CAPTURES)


def missing_targets(robots: DataFrame) -> list[str]:
    """Returns the URLs to which robots.txt files redirect, and of the licences that they name, that the table does not have, apart from robots.txt
    files.
    """
    # Other bodies have no effect on it.
    columns = ["file", "row", "url", "captured_at", "outcome", "status", "null as content_type", "target", f"case when {NAMES_LICENSE} then body end as body"]
    columns += ["null as offset", "null as digest"]
    table = robots.where("outcome is not null").selectExpr(*columns)
    return RobotsBook.from_rows(book_rows(table.toArrow())).missing_targets


def write_robots(spark: SparkSession, paths: str | Iterable[str], folder: str, *, partitions: int | None = None) -> DataFrame:
    """Writes the table of `robots` to a new folder of Parquet files, and returns it.

    Redirects to URLs other than robots.txt files are followed, and licences are looked up: if some are in other archives, all are read again
    for these, up to five times.
    """
    paths = listed(paths)
    robots(spark, paths, partitions=partitions).write.parquet(folder)
    searched: set[str] = set()
    for _ in range(_MAX_REDIRECT_SEARCHES):
        missing = set(missing_targets(spark.read.parquet(folder))) - searched
        if not missing:
            break
        searched |= missing
        known = spark.read.parquet(folder).where("error is not null").select("file").distinct().collect()
        is_new_error = col("error").isNotNull() & ~col("file").isin([row.file for row in known])
        found = robots(spark, paths, urls=missing, partitions=partitions)
        # Earlier readings reported the warnings of the archives, and the errors of those that could not be read then, either.
        found.where(col("outcome").isNotNull() | is_new_error).write.mode("append").parquet(folder)
    return spark.read.parquet(folder)


def decide(
    spark: SparkSession,
    pages: str | Iterable[str] | DataFrame,
    robots: DataFrame,
    *,
    agents: str | Iterable[str] | None = None,
    profiles: Profile | str | Iterable[Profile | str] | None = None,
    at: Literal["now"] | float | datetime | None = "now",
    explain: bool = False,
    evidence: bool = False,
    fields: Iterable[str] | None = None,
    partitions: int | None = None,
    join: Literal["auto", "broadcast", "shuffle"] = "auto",
    part_bytes: int | None = PART_BYTES,
    base: str = "",
    on_fault: Literal["row", "fail"] = "row",
) -> DataFrame:
    """Decides about the pages of archives, by a table of robots.txt captures: a row for each page and robot.

    The columns are those of docs/columns.md, with times in microseconds, and error. Each warning about an archive is a row with
    only its file and error, and so is the reason why an archive was not read to its end, unless `on_fault` is "fail". All other rows are those of `robots decide`.
    The arguments:

    * pages: archives of pages, or an index of records of them, as for `records`. Their own robots.txt files do not count.
    * robots: the table of `robots` or `write_robots`. It is read now.
    * agents: names of robots. By default the robot that each profile names.
    * profiles: profiles, or names of them. By default a known robot has that of its operator, and any other the neutral one.
    * at: the time as of which pages are decided; by default that of the call. None: no clock.
    * explain: whether there are columns with all reasons and warnings, as JSON.
    * evidence: whether there are these columns and those of docs/evidence.md. `robots verify` reads them from Parquet. In a shuffle, each site
      that redirects to the robots.txt of another then gets every capture of it, not only those that changed it.
    * fields: the names of columns, in place of all.
    * partitions: the number of tasks, one for each part of an archive by default. With a shuffle it is also the number of tasks that
      decide, `spark.sql.shuffle.partitions` by default.
    * part_bytes, base: as for `records`.
    * join: how pages and robots.txt files come together. "broadcast": the captures are collected in the driver and sent to every
      worker, where each Python process has them in memory. "shuffle": facts of the pages, of a few hundred bytes, and the captures are
      sorted by origin, and a process has the captures of one origin in memory; a sample of the pages is read now. "auto": a broadcast
      if the captures take up to BROADCAST_BYTES of memory in a process, by their number and the bytes of their bodies.
    * on_fault: "row": as above. "fail": the job ends with an ArchiveError that names the archive, if one is missing or damaged.

    Raises ArchiveError if the table has errors: pages would be decided without their rules. Raises InputError if it was made in another way, and
    lacks a column or has a URL in another form.
    """
    if join not in ("auto", "broadcast", "shuffle"):
        raise InputError(f"unexpected join {join!r}: expected 'auto', 'broadcast' or 'shuffle'")
    if on_fault not in ("row", "fail"):
        raise InputError(f"unexpected on_fault {on_fault!r}: expected 'row' or 'fail'")
    schema, seconds, fails = decision_schema(explain, evidence, fields), _whole_seconds(at), on_fault == "fail"
    robots = _typed(robots)
    source = pages_of(spark, pages, partitions, part_bytes, base)
    if join == "shuffle" or join == "auto" and _memory_of(robots) > BROADCAST_BYTES:
        _check(robots)
        agents, profiles = reread(agents), reread(profiles)
        # Wrong names are errors here, and not of a task.
        RobotsBook.from_rows([], agents=agents, profiles=profiles)
        options = PageOptions(agents, profiles, fails=fails, evidence=extra_columns(schema)["evidence"])
        return decide_sorted(spark, source, robots, options, seconds, schema, partitions)
    book = book_of(robots.toArrow(), agents, profiles)
    work: Work = lambda extent, book: decision_batches(extent, book, seconds, schema, fails)
    return source.map(work, book, schema)


def decide_table(
    frame: DataFrame,
    robots: DataFrame | None = None,
    *,
    url: str = "url",
    html: str = "html",
    agents: str | Iterable[str] | None = None,
    profiles: Profile | str | Iterable[Profile | str] | None = None,
    at: Literal["now"] | float | datetime | None = "now",
    explain: bool = False,
    fields: str | Iterable[str] | None = None,
    keep: str | Iterable[str] | None = None,
    prefix: str = "",
    **names: Unpack[PageNames],
) -> DataFrame:
    """Decides about the pages of a table, and returns its columns and the decisions: a row for each page and robot.

    The arguments are those of `robots_policy.decide_frame`, but for policies. `robots` is a table of captures, as for `decide`. It is read
    now, and every Python process has the captures in memory: without it, the columns `robots_txt` and `robots_status` of a page have the
    robots.txt of its site.

    * at: the time as of which pages are decided; by default that of the call, for all tasks. None: no clock.

    A page that cannot be decided has the reason in `error`, the last column. Raises InputError if a column is missing, is there twice or has
    another type, or one that Spark cannot send to Python, or if columns of the table and of the decisions have the same name, and
    ArchiveError as `decide` does.
    """
    fields, keep = reread(fields), reread(keep)
    columns = find_columns(frame.columns, {"url": url, "html": html, **names}, fields, keep, prefix, explain)
    book = None
    if robots is not None:
        book, agents, profiles = book_of(_typed(robots).toArrow(), agents, profiles), None, None
    settings = Settings(reread(agents), reread(profiles), book=book, at=_whole_seconds(at), explain=explains(explain, fields))
    # Only these columns are read. Tasks know them by their numbers: PySpark does not find all names, such as those with dots.
    numbers = {name: str(number) for number, name in enumerate(frame.columns)}
    names_read = list(dict.fromkeys([*columns.kept, *columns.pages.values()]))
    read = frame.toDF(*map(str, range(len(frame.columns)))).select(*(numbers[name] for name in names_read))
    known = pa.schema([field.with_name(name) for name, field in zip(names_read, _in_arrow(read, names_read), strict=True)])
    same = {name: name for name in columns.added}
    added = decided_schema(known, replace(columns, kept=[], added=same), settings)
    schema = StructType([*(read.schema[numbers[name]] for name in columns.kept), *from_arrow_schema(added).fields])
    numbered = Columns({role: numbers[name] for role, name in columns.pages.items()}, [numbers[name] for name in columns.kept], same)
    shared = sent(frame.sparkSession, (numbered, settings))
    decided = read.mapInArrow(lambda batches: decided_batches(batches, *shared.value), schema)
    return decided.toDF(*columns.kept, *columns.added.values())


def _in_arrow(frame: DataFrame, names: list[str]) -> pa.Schema:
    """Returns the schema of a table in Arrow. Errors have these names of its columns."""
    try:
        return frame.limit(0).toArrow().schema
    except (PySparkTypeError, UnsupportedOperationException):
        if len(names) == 1:
            kind = frame.schema[0].dataType.simpleString()
            advice = "cast it, or leave it out with keep"
            raise InputError(f"column {names[0]!r} has the type {kind}, which Spark cannot send to Python: {advice}") from None
        for name, column in zip(names, frame.columns, strict=True):
            _in_arrow(frame.select(column), [name])
        raise


def _typed(robots: DataFrame) -> DataFrame:
    """Returns a table of captures with the columns that decisions need, of their types."""
    columns = []
    for field in from_arrow_schema(CAPTURES).fields:
        if field.name in ("row", *OF_ROWS, "error"):
            if field.name in PLACE and field.name not in robots.columns:
                columns.append(lit(None).cast(field.dataType).alias(field.name))
                continue
            if field.name not in robots.columns:
                raise InputError(f"the table of captures has no column {field.name!r}: pass that of the function robots")
            columns.append(col(field.name).cast(field.dataType).alias(field.name))
    return robots.select(*columns)


def _check(robots: DataFrame) -> None:
    """Raises what `book_of` does."""
    url = col("url")
    is_usual = coalesce(url.rlike(USUAL_URL) & ~url.rlike(DEFAULT_PORT), lit(False))
    unusual = least(when(col("outcome").isNotNull() & ~is_usual, coalesce(url, lit("null"))))
    errors, error, unexpected = robots.select(count("error"), least("error"), unusual).collect()[0]
    if errors:
        raise unread(errors, error)
    if unexpected is not None:
        raise unusual_url(unexpected)


def _memory_of(robots: DataFrame) -> int:
    """Returns the approximate memory of captures in a process, in bytes."""
    captures, bodies = robots.selectExpr("count(outcome)", "coalesce(sum(octet_length(body)), 0)").collect()[0]
    return int(captures) * _CAPTURE_BYTES + int(bodies)


def records(
    spark: SparkSession,
    archives: str | Iterable[str] | DataFrame,
    *,
    columns: str | Iterable[str] | None = None,
    types: str | Iterable[str] | None = None,
    statuses: int | Iterable[int] | None = None,
    mime_types: str | Iterable[str] | None = None,
    partitions: int | None = None,
    part_bytes: int | None = PART_BYTES,
    base: str = "",
) -> DataFrame:
    """Reads the records of archives, or those that an index lists: a row for each, and one for each damaged place.

    The columns are those of `robots_policy.records`, all but block by default; error is always the last. The arguments:

    * archives: archives, or an index: a data frame with the columns warc_filename, warc_record_offset and warc_record_length, as
      Common Crawl's columnar index has them. Of archives on a server, only the bytes of these records are read. Rows of `index_entries`
      with an error become rows with this error.
    * types, statuses, mime_types: only records with these values, and damaged places.
    * partitions: the number of tasks, one for each part of an archive by default, and for an index four for each processor.
    * part_bytes: the size of the parts into which larger archives are divided, 256 MiB by default. None divides none.
    * base: a text before each warc_filename, such as `s3://commoncrawl/`.
    """
    filters = {
        "types": None if types is None else listed(types),
        "statuses": None if statuses is None else [statuses] if isinstance(statuses, int) else list(statuses),
        "mime_types": None if mime_types is None else listed(mime_types),
    }
    schema = record_schema(columns, filters)
    work: Work = lambda extent, filters: record_batches(extent, schema, filters)
    return pages_of(spark, archives, partitions, part_bytes, base).map(work, filters, schema)


def index_entries(spark: SparkSession, paths: str | Iterable[str], *, partitions: int | None = None) -> DataFrame:
    """Reads CDXJ indexes: a row for each line, with the columns of Common Crawl's columnar index, and error."""
    extents = divided(listed(paths), None)
    return Archives(spark, extents, partitions).map(lambda extent, _: index_batches(extent), None, INDEX)
