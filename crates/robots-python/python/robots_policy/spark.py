"""Decisions about the archives of a crawl on a Spark cluster: two steps, each a DataFrame.

    robots = write_robots(spark, robots_archives, "robots.parquet")
    decisions = decide(spark, pages=page_archives, robots=robots, agents=["GPTBot"], profiles="google")

The table of robots.txt captures depends neither on robots nor on profiles: it is read once for all. A file is a task, in which
Rust opens the archive. HTML enters neither Python nor the JVM. Archives are paths that all workers can read, or URLs that fsspec
knows (`s3://`, `https://`), if it is installed on the workers: their packed bytes go through Python.

This needs PySpark 4 with pyarrow and, on every worker, this package. docs/scale.md of the project has a walk-through.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from pyspark.sql.functions import col
from pyspark.sql.pandas.types import from_arrow_schema

from . import InputError, Profile, RobotsBook
from ._tasks import CAPTURES, book_of, book_rows, capture_batches, decision_batches, decision_schema, listed, whole_seconds

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["decide", "missing_targets", "robots", "write_robots"]

#: The maximum number of searches for the targets of redirects, which may redirect, too: as many as `robots decide` makes.
_SEARCHES = 5


def robots(
    spark: SparkSession, paths: str | Iterable[str], *, urls: Iterable[str] | None = None, partitions: int | None = None
) -> DataFrame:
    """Reads the robots.txt captures of archives: a row for each, reusable for all robots and profiles.

    The columns are file; row, which orders the captures of a URL in a file; origin; url; captured_at; outcome, status, content_type, target
    and body, as `RobotsBook.to_rows` has them; warning and error. A row with a warning or an error has no other value than its file.
    An archive with an error was not read to its end, and its captures are missing.

    * urls: URLs to read in place of robots.txt files, such as `missing_targets`.
    * partitions: the number of tasks, one for each archive by default.

    Each action reads the archives again: write the table, or persist it.
    """
    wanted = None if urls is None else sorted(urls)
    return _map_archives(spark, paths, capture_batches, wanted, CAPTURES, partitions)


def missing_targets(robots: DataFrame) -> list[str]:
    """Returns the URLs to which robots.txt files redirect and that the table does not have, apart from robots.txt files."""
    # A book without bodies has the same targets.
    columns = ["file", "row", "url", "captured_at", "outcome", "status", "null as content_type", "target", "null as body"]
    table = robots.where("outcome is not null").selectExpr(*columns)
    return RobotsBook.from_rows(book_rows(table.toArrow())).missing_targets


def write_robots(spark: SparkSession, paths: str | Iterable[str], folder: str, *, partitions: int | None = None) -> DataFrame:
    """Writes the table of `robots` to a new folder of Parquet files, and returns it.

    Redirects to URLs other than robots.txt files are followed: if some lead to other archives, all are read again for these, up to
    five times.
    """
    paths = listed(paths)
    robots(spark, paths, partitions=partitions).write.parquet(folder)
    searched: set[str] = set()
    for _ in range(_SEARCHES):
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
    pages: str | Iterable[str],
    robots: DataFrame,
    *,
    agents: str | Iterable[str] | None = None,
    profiles: Profile | str | Iterable[Profile | str] | None = None,
    at: float | datetime | None = None,
    explain: bool = False,
    fields: Iterable[str] | None = None,
    partitions: int | None = None,
    join: Literal["broadcast"] = "broadcast",
) -> DataFrame:
    """Decides about the pages of archives, by a table of robots.txt captures: a row for each page and robot.

    The columns are those of docs/columns.md, with times in microseconds, and error. Each warning about an archive is a row with
    only its file and error, and so is the reason why an archive was not read to its end. All other rows are those of `robots decide`.
    The arguments:

    * pages: archives of pages. Their own robots.txt files do not count.
    * robots: the table of `robots` or `write_robots`. It is read now, and collected in the driver.
    * agents: names of robots. By default the robot that each profile names.
    * profiles: profiles, or names of them; the neutral one by default.
    * at: the time as of which pages are decided, now by default.
    * explain: whether there are columns with all reasons and warnings, as JSON.
    * fields: the names of columns, in place of all.
    * partitions: the number of tasks, one for each archive by default.
    * join: how pages and robots.txt files come together. There is one way: the captures are sent to every worker, where each
      Python process has them in memory.

    Raises ArchiveError if the table has errors: pages would be decided without their rules.
    """
    if join != "broadcast":
        raise InputError(f"unexpected join {join!r}: expected 'broadcast'")
    schema, seconds = decision_schema(explain, fields), whole_seconds(at)
    book = book_of(robots.toArrow(), agents, profiles)
    return _map_archives(spark, pages, lambda path, book: decision_batches(path, book, seconds, schema), book, schema, partitions)


def _map_archives(
    spark: SparkSession,
    paths: str | Iterable[str],
    work: Callable[[str, Any], Iterator[pa.RecordBatch]],
    shared: object,
    schema: pa.Schema,
    partitions: int | None,
) -> DataFrame:
    """Returns the batches of work on archives. `shared` is sent to each Python process once."""
    sent = spark.sparkContext.broadcast((listed(paths), shared))
    count = len(sent.value[0])

    def run(numbers: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        paths, shared = sent.value
        for batch in numbers:
            for number in batch.column("id").to_pylist():
                yield from work(paths[number], shared)

    tasks = spark.range(0, count, 1, max(1, partitions or count))
    return tasks.mapInArrow(run, from_arrow_schema(schema))
