"""The pages of a job on Spark: archives, or the records of them that an index lists, as tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from pyspark.sql.functions import col, collect_list, lit, pmod, sort_array, spark_partition_id, struct, when, xxhash64
from pyspark.sql.functions import max as greatest
from pyspark.sql.pandas.types import from_arrow_schema

from . import InputError
from ._arguments import listed
from ._extents import Extent, divided

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

#: The work of a task: an extent and what all tasks share, to batches.
Work = Callable[[Extent, Any], "Iterator[pa.RecordBatch]"]

#: The number of tasks of an index for each processor.
_TASKS_PER_PROCESSOR = 4

#: The number of bytes of an archive that a sample reads: 1 MiB.
_SAMPLE_BYTES = 1 << 20

#: The number of listed records that a sample reads in place of these bytes: as many as Common Crawl has in them.
_SAMPLE_RECORDS = 40


def is_remote(spark: SparkSession) -> bool:
    """Returns whether a session is one of Spark Connect, which has no SparkContext."""
    return not hasattr(spark, "_jsparkSession")


def sent(spark: SparkSession, value: object) -> Any:
    """Sends a value to each Python process once, or on Spark Connect with each task. Its attribute `value` has it there."""
    return SimpleNamespace(value=value) if is_remote(spark) else spark.sparkContext.broadcast(value)


def usual_tasks(spark: SparkSession) -> int:
    """Returns the number of tasks for work that could be divided into any number."""
    if is_remote(spark):
        # A range has a partition for each processor.
        processors = spark.range(1 << 16).select(spark_partition_id()).distinct().count()
    else:
        processors = spark.sparkContext.defaultParallelism
    return processors * _TASKS_PER_PROCESSOR


@dataclass(frozen=True)
class Archives:
    """Archives, or parts of them."""

    spark: SparkSession
    extents: list[Extent]
    partitions: int | None

    def map(self, work: Work, shared: object, schema: pa.Schema) -> DataFrame:
        """Returns the batches of work on each extent. `shared` is sent to each Python process once."""
        shipped = sent(self.spark, (self.extents, shared))
        count = len(self.extents)

        def run(numbers: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            extents, shared = shipped.value
            for batch in numbers:
                for number in batch.column("id").to_pylist():
                    yield from work(extents[number], shared)

        tasks = self.spark.range(0, count, 1, max(1, self.partitions or count))
        return tasks.mapInArrow(run, from_arrow_schema(schema))

    def sample(self, count: int) -> Archives:
        """Returns the first bytes of up to this number of extents."""
        step = max(1, len(self.extents) // count)
        extents = self.extents[::step][:count]
        sample = [replace(extent, offset=extent.offset or 0, length=_SAMPLE_BYTES) for extent in extents]
        return Archives(self.spark, sample, min(len(sample), usual_tasks(self.spark)))


@dataclass(frozen=True)
class ListedRecords:
    """The records of archives that an index lists: rows of a file, an offset and a length, or of an error of the index."""

    places: DataFrame
    partitions: int
    base: str

    def map(self, work: Work, shared: object, schema: pa.Schema) -> DataFrame:
        """Returns the batches of work on the records of each archive. `shared` is sent to each Python process once."""
        # With a number of partitions, Spark does not join small ones.
        places = self.places.repartition(self.partitions, "file", "error")
        # A record that is listed twice is read once.
        places = places.groupBy("file", "error", "offset").agg(greatest("length").alias("length"))
        listing = places.groupBy("file", "error").agg(sort_array(collect_list(struct("offset", "length"))).alias("ranges"))
        shipped, base = sent(self.places.sparkSession, shared), self.base

        def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                for extent in listed_extents(batch, base):
                    yield from work(extent, shipped.value)

        return listing.mapInArrow(run, from_arrow_schema(schema))

    def sample(self, count: int) -> ListedRecords:
        """Returns about as many records as the sample of this number of archives has."""
        step = max(1, self.places.count() // (count * _SAMPLE_RECORDS))
        return replace(self, places=self.places.where(pmod(xxhash64("file", "offset"), lit(step)) == 0))


def listed_extents(listing: pa.RecordBatch, base: str) -> Iterator[Extent]:
    """Returns the extents of a listing: rows of a file, an error and ranges, of which one at a time becomes objects of Python."""
    files, errors = listing.column("file").to_pylist(), listing.column("error").to_pylist()
    for file, error, ranges in zip(files, errors, listing.column("ranges"), strict=True):
        if file is None:
            yield Extent("", fault=error)
        else:
            offsets, lengths = (ranges.values.field(name).to_pylist() for name in ("offset", "length"))
            yield Extent(base + file, ranges=tuple(zip(offsets, lengths, strict=True)))


def pages_of(
    spark: SparkSession, pages: str | Iterable[str] | DataFrame, partitions: int | None, part_bytes: int | None, base: str
) -> Archives | ListedRecords:
    """Returns archives, which are divided into parts, or the records that an index lists."""
    if part_bytes is not None and part_bytes < 1:
        raise InputError(f"unexpected part_bytes {part_bytes}: expected at least 1, or None")
    if isinstance(pages, str) or not hasattr(pages, "sparkSession"):
        return Archives(spark, divided([f"{base}{path}" for path in listed(pages)], part_bytes), partitions)
    index = cast("DataFrame", pages)
    for name in ("warc_filename", "warc_record_offset", "warc_record_length"):
        if name not in index.columns:
            raise InputError(f"the index has no column {name!r}")
    offset, length = col("warc_record_offset").cast("bigint"), col("warc_record_length").cast("bigint")
    # As in the rows of `index_entries` that state why an index was not read.
    error = col("error").cast("string") if "error" in index.columns else lit(None).cast("string")
    is_listed = col("warc_filename").isNotNull() & offset.isNotNull()
    columns = {"file": col("warc_filename"), "offset": offset, "length": length}
    places = index.select(*(when(is_listed, column).alias(name) for name, column in columns.items()), when(~is_listed, error).alias("error"))
    places = places.where("file is not null or error is not null")
    count = max(1, partitions or usual_tasks(spark))
    return ListedRecords(places, count, base)
