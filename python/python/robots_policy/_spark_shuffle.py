"""The join of pages and robots.txt captures on Spark by a sort: pages as facts, and captures with the origins that they decide about."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame, Window
from pyspark.sql.functions import broadcast, coalesce, col, explode, expr, lag, lit, regexp_replace, sequence, struct
from pyspark.sql.pandas.types import from_arrow_schema, from_arrow_type

from . import OriginDecider
from ._by_origin import CAPTURE, CAPTURE_TYPE, SORTED, PageOptions, page_rows, sorted_decisions
from ._native import _TDMREP_PATH
from ._spark_pages import sent, usual_tasks
from ._tasks import PLACE, license_edges

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

    from ._spark_pages import Archives, ListedRecords

#: The minimum number of archives of which a sample reads a part.
_SAMPLED_ARCHIVES = 64

#: Whether a capture may be a robots.txt that names a licence.
NAMES_LICENSE = r"url like '%/robots.txt' and lower(cast(body as string)) like '%license%'"

#: The minimum number of pages that a large origin has in a sample.
_SAMPLED_PAGES = 8


def decide_sorted(
    spark: SparkSession,
    pages: Archives | ListedRecords,
    robots: DataFrame,
    options: PageOptions,
    at: int | None,
    schema: pa.Schema,
    partitions: int | None,
) -> DataFrame:
    """Returns the decisions about pages, by a table of captures without errors."""
    options.salts = large_origins(pages, options, partitions or shuffle_partitions(spark))
    captures = _salted(spark, captures_by_key(robots, options.evidence), options.salts)
    nothing = {"kind": lit(CAPTURE).cast("tinyint"), "facts": lit(None).cast("binary"), "error": lit(None).cast("string")}
    captures = captures.select(*(nothing.get(name, col(name)).alias(name) for name in SORTED.names))
    rows = pages.map(page_rows, options, SORTED).union(captures)
    rows = rows.repartition(partitions, "key", "salt") if partitions else rows.repartition("key", "salt")
    shipped = sent(spark, PageOptions(options.agents, options.profiles))

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return sorted_decisions(batches, shipped.value, at, schema)

    return rows.sortWithinPartitions(*SORTED.names[:5]).mapInArrow(run, from_arrow_schema(schema))


def shuffle_partitions(spark: SparkSession) -> int:
    """Returns the approximate number of tasks after a shuffle."""
    stated = str(spark.conf.get("spark.sql.shuffle.partitions"))
    # A vendor's value such as "auto" leaves it to the engine.
    return int(stated) if stated.isdecimal() else usual_tasks(spark)


def large_origins(pages: Archives | ListedRecords, options: PageOptions, partitions: int) -> dict[str, int]:
    """Returns the numbers of parts of the origins whose pages would take more than half of an average task, by key.

    A sample of the pages shows which. If it is wrong, tasks last longer than others, and rows are the same.
    """
    if partitions < 2:
        return {}
    sample = pages.sample(max(_SAMPLED_ARCHIVES, partitions)).map(page_rows, replace(options, fails=False, evidence=False), SORTED)
    counts = {row["key"]: row["count"] for row in sample.where("error is null").groupBy("key").count().collect()}
    sampled = sum(counts.values())
    parts = {key: math.ceil(2 * partitions * count / sampled) for key, count in counts.items() if key and count >= _SAMPLED_PAGES}
    return {key: min(count, partitions) for key, count in parts.items() if count > 1}


def captures_by_key(robots: DataFrame, evidence: bool) -> DataFrame:
    """Returns captures with the keys of the origins that they decide about: their own, and those whose redirects lead to them.

    Their places are left out, unless they are wanted as evidence.
    """
    seconds = expr("(unix_micros(captured_at) - pmod(unix_micros(captured_at), 1000000)) div 1000000")
    values = {"captured_at": seconds} | ({} if evidence else dict.fromkeys(("file", *PLACE), lit(None)))
    fields = [values.get(name, col(name)).alias(name) for name in CAPTURE_TYPE.names]
    capture = struct(*fields).cast(from_arrow_type(CAPTURE_TYPE)).alias("capture")
    known = robots.where("outcome is not null").select("url", "file", "row", capture)
    own = of_sites(known).select("key", "file", "row", "capture")
    reached = redirect_targets(robots)
    if reached is None:
        return own
    targets = changes(known.join(reached.select("url").distinct(), "url"))
    return own.union(targets.join(reached, "url").select("key", "file", "row", "capture"))


def of_sites(rows: DataFrame) -> DataFrame:
    """Returns the rows of robots.txt and tdmrep.json files, each with the key of its origin: the URL of its robots.txt."""
    of_site = rows.where(col("url").endswith("/robots.txt") | col("url").endswith(_TDMREP_PATH))
    return of_site.withColumn("key", regexp_replace("url", f"{re.escape(_TDMREP_PATH)}$", "/robots.txt"))


def changes(captures: DataFrame) -> DataFrame:
    """Returns the captures of each URL without those that are like the one before them.

    A redirect leads to what its target was at the time, so the others change no state. If many sites redirect to one file, a crawl has a capture
    of it for each of them, and each site would get all these. With their places, no two captures are alike.
    """
    order = Window.partitionBy("url").orderBy(col("capture.captured_at").asc_nulls_first(), "file", "row")
    content = struct(*(f"capture.{name}" for name in CAPTURE_TYPE.names if name not in ("url", "captured_at")))
    known = captures.withColumn("is_known", lag(content).over(order).eqNullSafe(content))
    return known.where("not is_known").drop("is_known")


def redirect_targets(robots: DataFrame) -> DataFrame | None:
    """Returns the URLs to which the redirects of robots.txt files, and the licences that they name, lead, directly or over others: pairs of a
    key and a URL.

    Returns None if there are none. They are found out now, and Spark keeps them, as each use would read the table again.
    """
    naming = robots.where(f"outcome = 'response' and {NAMES_LICENSE}").select("url", "body")
    licenses = naming.mapInArrow(license_edges, "url string, target string")
    edges = robots.where("outcome = 'redirect' and target != url").select("url", "target")
    edges = edges.union(licenses).distinct().persist()
    step = of_sites(edges).select("key", col("target").alias("url"))
    steps: list[DataFrame] = []
    for _ in range(OriginDecider.REDIRECT_STEPS):
        step = step.persist()
        if step.isEmpty():
            step.unpersist()
            break
        steps.append(step)
        # What a redirect back to the robots.txt leads to is reached already.
        step = step.join(edges, "url").where("target != key").select("key", col("target").alias("url")).distinct()
    pairs = None
    if steps:
        pairs = reduce(DataFrame.union, steps).distinct().persist()
        pairs.count()
    for frame in (edges, *steps):
        frame.unpersist()
    return pairs


def _salted(spark: SparkSession, captures: DataFrame, salts: dict[str, int]) -> DataFrame:
    """Returns the captures, each for all parts of its origin."""
    if not salts:
        return captures.withColumn("salt", lit(0).cast("bigint"))
    parts = broadcast(spark.createDataFrame(list(salts.items()), "key string, parts bigint"))
    last = coalesce(col("parts"), lit(1)) - 1
    return captures.join(parts, "key", "left").withColumn("salt", explode(sequence(lit(0).cast("bigint"), last)))
