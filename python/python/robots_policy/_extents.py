"""The parts of archives, and the ranges of bytes that an index lists: what a task reads, and how it is opened."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from ._errors import ArchiveError

#: The default size of a part of an archive: 256 MiB.
PART_BYTES = 256 << 20

#: The names of saved pages, which are not archives.
_SAVED_PAGES = (".html", ".htm", ".xhtml")

#: The number of threads that ask for the sizes of archives.
_SIZE_THREADS = 32

#: The maximum number of ranges, and of bytes, that are fetched from a server at once.
_FETCHED_RANGES = 64
_FETCHED_BYTES = 16 << 20


@dataclass(frozen=True)
class Extent:
    """An archive, and what of it is read: all, the records that begin in some bytes, or those of ranges.

    With a fault, nothing is read: an index could not be read, and so names no archive, and the path is empty; or the path is not UTF-8, and
    has replacement characters.
    """

    path: str
    offset: int | None = None
    length: int | None = None
    ranges: tuple[tuple[int, int | None], ...] | None = None
    fault: str | None = None

    def arguments(self) -> dict[str, Any]:
        """Returns the arguments of `records` and `decide_warc_batches`."""
        return {"offset": self.offset, "length": self.length, "ranges": self.ranges}


def is_url(path: str) -> bool:
    """Returns whether a path is a URL, which fsspec opens."""
    return "://" in path


def divided(paths: Iterable[str], part_bytes: int | None) -> list[Extent]:
    """Returns the parts of archives, each of up to this number of bytes. Without it, an archive is one part.

    An archive whose size cannot be found out is one part: reading it will tell why. A path that is not UTF-8 is an extent with a fault, as
    rows cannot hold it.
    """
    paths = list(map(str, paths))
    if part_bytes is None:
        return [_whole(path) for path in paths]
    with ThreadPoolExecutor(_SIZE_THREADS) as threads:
        sizes = threads.map(_size, paths)
    extents = []
    for path, size in zip(paths, sizes, strict=True):
        if size is None or size <= part_bytes:
            extents.append(_whole(path))
        else:
            extents += [Extent(path, offset, part_bytes) for offset in range(0, size, part_bytes)]
            # An archive that has grown since is read to its end.
            extents[-1] = replace(extents[-1], length=None)
    return extents


def _whole(path: str) -> Extent:
    """Returns an archive as one extent."""
    try:
        path.encode()
    except UnicodeEncodeError:
        # Bytes of a path that are not UTF-8 are surrogates in a text of Python.
        shown = path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        return Extent(shown, fault=f"{shown}: the path is not valid UTF-8")
    return Extent(path)


def _size(path: str) -> int | None:
    try:
        path.encode()
        if not is_url(path):
            return os.stat(path).st_size
        import fsspec

        files, name = fsspec.core.url_to_fs(path)
        size = files.size(name)
        return None if size is None else int(size)
    except Exception:
        return None


@contextmanager
def opened(extent: Extent) -> Iterator[tuple[Any, str]]:
    """Opens an archive: a path, or a URL that fsspec knows, with its name for rows. Raises ArchiveError for a fault, and for saved pages."""
    if extent.fault is not None:
        raise ArchiveError(extent.fault)
    path = extent.path
    if not is_url(path):
        if os.path.isdir(path) or path.lower().endswith(_SAVED_PAGES):
            raise ArchiveError(f"{path}: not an archive: saved pages and folders of them are not read")
        yield path, path
        return
    import fsspec

    ranges = extent.ranges
    if ranges is not None and all(length is not None for _, length in ranges):
        files, name = fsspec.core.url_to_fs(path)
        yield FetchedRanges(files, name, [(offset, length or 0) for offset, length in ranges]), path
        return
    with fsspec.open(path, "rb") as file:
        yield file, path


class FetchedRanges:
    """A file object of some ranges of a file on a server: several are fetched at once, and no other bytes.

    Ranges that touch or overlap are one span, so that a read may pass from one to the next. A span over the limit is fetched in steps.
    Spans are fetched in their order in the file, as `records` reads them.
    """

    def __init__(self, files: Any, path: str, ranges: Sequence[tuple[int, int]]) -> None:
        self._files = files
        self._path = path
        #: The spans, each from its start to its end, in order.
        self._spans: list[tuple[int, int]] = []
        for start, length in sorted(ranges):
            if self._spans and start <= self._spans[-1][1]:
                begin, end = self._spans.pop()
                self._spans.append((begin, max(end, start + length)))
            else:
                self._spans.append((start, start + length))
        #: The first bytes of the spans that were fetched and not begun, by their start, and where each span ends in the file.
        self._fetched: dict[int, tuple[bytes, int]] = {}
        #: The span that is read, and its end in the file.
        self._span = (-1, -1)
        self._end = -1
        #: Fetched bytes of it, and their offset.
        self._data = b""
        self._start = -1
        self._at = 0

    def seek(self, offset: int) -> int:
        begin, end = self._span
        if not begin <= offset < end:
            self._begin(offset)
        if not self._start <= offset <= self._start + len(self._data):
            self._data, self._start = b"", offset
        self._at = offset
        return offset

    def read(self, size: int) -> bytes:
        if self._start + len(self._data) == self._at < self._end:
            ((self._data, self._end),) = self._sent([(self._at, self._end)])
            self._start = self._at
        begin = self._at - self._start
        data = self._data[begin : begin + size]
        self._at += len(data)
        return data

    def _begin(self, offset: int) -> None:
        """Begins the span that contains an offset, and fetches it and the next ones, up to a limit, if it was not fetched yet."""
        index = bisect_right(self._spans, offset, key=lambda span: span[0]) - 1
        if index < 0 or not (offset < self._spans[index][1] or offset == self._spans[index][0]):
            raise OSError(f"{self._path}: there is no range at offset {offset}")
        self._span = self._spans[index]
        self._start = self._span[0]
        if self._start not in self._fetched:
            wanted: list[tuple[int, int]] = []
            for start, end in self._spans[index : index + _FETCHED_RANGES]:
                if wanted and sum(end - begin for begin, end in wanted) + end - start > _FETCHED_BYTES:
                    break
                wanted.append((start, end))
            self._fetched = dict(zip((start for start, _ in wanted), self._sent(wanted), strict=True))
        self._data, self._end = self._fetched.pop(self._start)

    def _sent(self, ranges: list[tuple[int, int]]) -> list[tuple[bytes, int]]:
        """Returns the first bytes of ranges, up to a limit for each, and the end of each range or of the file."""
        starts, ends = [start for start, _ in ranges], [min(end, start + _FETCHED_BYTES) for start, end in ranges]
        found = self._files.cat_ranges([self._path] * len(ranges), starts, ends, on_error="raise")
        sent = []
        for data, start, end, whole in zip(found, starts, ends, (end for _, end in ranges), strict=True):
            # Some file systems return errors in place of bytes.
            if isinstance(data, BaseException):
                raise data
            if len(data) > end - start:
                raise OSError(f"{self._path}: the server sent {len(data)} bytes for a range of {end - start}: it must support range requests")
            sent.append((data, whole if len(data) == end - start else start + len(data)))
        return sent
