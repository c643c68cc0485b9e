"""`spark.read.format("warc")`: the records of archives as a data source of Spark."""

from __future__ import annotations

import glob
import gzip
import json
import os
from collections.abc import Iterable, Iterator, MutableMapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from . import InputError
from ._extents import PART_BYTES, Extent, divided, is_url
from ._tasks import record_batches, record_schema

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: The options, apart from those of `load`: `path`, `paths`.
_OPTIONS = {"path", "paths", "list", "base", "columns", "types", "statuses", "mimetypes", "faults", "partbytes"}


class WarcDataSource(DataSource):
    """The records of WARC and ARC archives, a row for each. docs/scale.md of the project has the columns and the options."""

    @classmethod
    def name(cls) -> str:
        return "warc"

    def schema(self) -> StructType:
        return from_arrow_schema(record_schema(self._listed("columns")))

    def reader(self, schema: StructType) -> WarcReader:
        unknown = sorted(set(self._keys()) - _OPTIONS)
        if unknown:
            raise InputError(f"unknown option {unknown[0]!r}; the options are columns, types, statuses, mimeTypes, faults, partBytes, list, base")
        filters: dict[str, Any] = {"types": self._listed("types"), "mime_types": self._listed("mimeTypes")}
        statuses = self._listed("statuses")
        filters["statuses"] = None if statuses is None else [self._number("statuses", status) for status in statuses]
        faults = self.options.get("faults", "true").lower()
        if faults not in ("true", "false"):
            raise InputError(f"unexpected faults {faults!r}: expected true or false")
        filters["faults"] = faults == "true" and "error" in schema.names
        record_schema(None, filters)
        part_bytes = self._number("partBytes", self.options.get("partBytes") or str(PART_BYTES))
        return WarcReader(self._archives(), list(schema.names), filters, part_bytes or None)

    def _keys(self) -> Iterable[str]:
        return [key.lower() for key in self.options]

    def _listed(self, option: str) -> list[str] | None:
        """Returns the values of an option, which commas separate."""
        value = self.options.get(option)
        return None if value is None else [part.strip() for part in value.split(",") if part.strip()]

    def _number(self, option: str, value: str) -> int:
        if not value.strip().isdecimal():
            raise InputError(f"unexpected {option} {value!r}: expected a number")
        return int(value)

    def _archives(self) -> list[str]:
        """Returns the archives: those of the paths, and those of a list."""
        options: MutableMapping[str, str] = self.options
        paths = json.loads(options["paths"]) if "paths" in options else [options["path"]] if "path" in options else []
        base = options.get("base", "")
        archives = [archive for path in paths for archive in _expanded(base, path)]
        if "list" in options:
            archives += [_without_scheme(base + path) for path in listed_paths(options["list"])]
        if not archives:
            raise InputError("no archives: pass paths to load, or the option list")
        return archives


class WarcReader(DataSourceReader):
    """Reads each part of an archive as a partition.

    It has no `pushFilters`: Spark keeps the reader that had them pushed in the relation of the data frame, and reads all other plans of this frame
    with it, too.
    """

    def __init__(self, archives: list[str], columns: list[str], filters: dict[str, Any], part_bytes: int | None) -> None:
        self.archives = archives
        self.columns = columns
        self.filters = filters
        self.part_bytes = part_bytes

    def __getstate__(self) -> dict[str, Any]:
        # Each task gets the reader and its own partition: it does not need the names of all archives.
        return {name: value for name, value in self.__dict__.items() if name != "archives"}

    def partitions(self) -> list[InputPartition]:
        return [InputPartition(extent) for extent in divided(self.archives, self.part_bytes)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        extent: Extent = partition.value
        known = record_schema(None if "block" not in self.columns else self.columns)
        fields = []
        for name in self.columns:
            if name not in known.names:
                raise InputError(f"there is no column {name!r}")
            fields.append(known.field(name))
        yield from record_batches(extent, pa.schema(fields), self.filters)


def listed_paths(file: str) -> list[str]:
    """Returns the paths in a list, one a line, plain or gzip: a path, or a URL that fsspec knows."""
    if is_url(file):
        import fsspec

        with fsspec.open(file, "rb") as source:
            data = source.read()
    else:
        with open(file, "rb") as source:
            data = source.read()
    text = gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
    return text.decode().split()


def _expanded(base: str, path: str) -> list[str]:
    """Returns the files of a pattern or a local folder, in order; other paths as they are. A path that exists is not a pattern.

    Raises InputError for a pattern or a folder without files.
    """
    if is_url(base + path):
        if not glob.has_magic(path):
            return [base + path]
        import fsspec

        files, name = fsspec.core.url_to_fs(base + path)
        if files.exists(name):
            return [base + path]
        found = [files.unstrip_protocol(file) for file in files.glob(name)]
    else:
        place = _without_scheme(base + path)
        if os.path.isdir(place):
            pattern = os.path.join(glob.escape(place), "*")
        elif os.path.exists(place) or not glob.has_magic(path):
            return [place]
        else:
            pattern = glob.escape(_without_scheme(base)) + path if base else place
        # As the data sources of Spark itself.
        found = [file for file in glob.glob(pattern) if os.path.isfile(file) and not os.path.basename(file).startswith(("_", "."))]
    if not found:
        raise InputError(f"no files at {base + path!r}")
    return sorted(found)


def _without_scheme(path: str) -> str:
    """Returns the path of `file:/PATH`. With three slashes it is a URL, which fsspec opens."""
    return path if is_url(path) else path.removeprefix("file:")


def register(spark: SparkSession) -> None:
    """Makes `spark.read.format("warc")` known to a session."""
    spark.dataSource.register(WarcDataSource)
