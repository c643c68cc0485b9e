"""Parts of archives, and ranges of a file on a server."""

import gzip
from pathlib import Path

import pytest

from robots_policy import records
from robots_policy._extents import FetchedRanges, divided

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "fixtures"
STEP = 16 << 20


class Files:
    """A file of a server, and the ranges that were asked for."""

    def __init__(self, data):
        self.data, self.asked = data, []

    def cat_ranges(self, paths, starts, ends, on_error="return"):
        assert on_error == "raise"
        self.asked.append(list(zip(starts, ends, strict=True)))
        return [self.sent(start, end) for start, end in zip(starts, ends, strict=True)]

    def sent(self, start, end):
        return self.data[start:end]


def read(file, offset):
    """Returns all bytes of a range."""
    file.seek(offset)
    parts = []
    while data := file.read(1_000_000):
        parts.append(data)
    return b"".join(parts)


def test_ranges_are_fetched_together_up_to_the_limits():
    data = bytes(range(256)) * 1_000
    files = Files(data)
    ranges = [(offset, 100) for offset in range(0, 25_600, 200)]
    file = FetchedRanges(files, "a", ranges)
    assert [read(file, offset) for offset, _ in ranges] == [data[offset : offset + 100] for offset, _ in ranges]
    assert [len(asked) for asked in files.asked] == [64, 64]
    # Neighbours and overlaps are one span, whose bytes are fetched once. The first bytes can be read again.
    files.asked.clear()
    file = FetchedRanges(files, "a", [(0, 10), (10, 10), (15, 3), (19, 6), (30, 5)])
    assert [read(file, 0), read(file, 10), read(file, 15), read(file, 30)] == [data[:25], data[10:25], data[15:25], data[30:35]]
    assert files.asked == [[(0, 25), (30, 35)]]
    file = FetchedRanges(files, "a", [(7, 10)])
    assert (file.seek(7), file.read(4), file.seek(7), read(file, 7), read(file, 9)) == (7, data[7:11], 7, data[7:17], data[9:17])
    with pytest.raises(OSError, match="no range at offset 3"):
        file.seek(3)


@pytest.mark.parametrize("length", [STEP - 1, STEP, STEP + 1, 2 * STEP, 2 * STEP + 5])
def test_a_long_range_is_fetched_in_steps(length):
    data = bytes(range(251)) * (3 * STEP // 251 + 1)
    files = Files(data)
    after = 5 + length
    file = FetchedRanges(files, "a", [(5, length), (after + 1, 4)])
    assert read(file, 5) == data[5:after]
    assert read(file, after + 1) == data[after + 1 : after + 5]
    assert max(sum(end - start for start, end in asked) for asked in files.asked) <= STEP
    assert sum(len(asked) for asked in files.asked) == -(-length // STEP) + 1


def test_a_range_past_the_end_of_a_file_ends_with_it():
    files = Files(b"abc")
    file = FetchedRanges(files, "a", [(1, 1 << 62), (9, 4)])
    assert (read(file, 1), read(file, 9)) == (b"bc", b"")
    assert files.asked == [[(1, 1 + STEP)]]


def test_records_of_neighbouring_ranges_are_those_of_the_archive():
    pa = pytest.importorskip("pyarrow")
    path = FIXTURES / "crawl.warc.gz"

    def rows(archive, **arguments):
        batches = [pa.record_batch(batch) for batch in records(archive, columns=["offset", "length", "type", "error"], **arguments)]
        return pa.Table.from_batches(batches).to_pylist()

    whole = rows(str(path))
    places = [(row["offset"], row["length"]) for row in whole if row["length"] is not None]
    assert len(places) > 50
    # Stated lengths that reach into the next record change nothing.
    for more in (0, 100):
        ranges = [(offset, length + more) for offset, length in places]
        file = FetchedRanges(Files(path.read_bytes()), "a", ranges)
        found = rows(file, name="a", ranges=ranges)
        assert [(row["offset"], row["type"], row["error"]) for row in found] == [
            (row["offset"], row["type"], None) for row in whole if row["length"] is not None
        ]


def test_a_server_that_ignores_ranges_is_an_error():
    files = Files(bytes(1_000))
    files.sent = lambda start, end: files.data
    with pytest.raises(OSError, match="a: the server sent 1000 bytes for a range of 20: it must support range requests"):
        FetchedRanges(files, "a", [(10, 20)]).seek(10)


def test_an_error_in_place_of_bytes_is_raised():
    files = Files(b"")
    files.sent = lambda start, end: FileNotFoundError("no such key")
    with pytest.raises(FileNotFoundError, match="no such key"):
        FetchedRanges(files, "a", [(10, 20)]).seek(10)


@pytest.mark.parametrize("form", ["gzip", "plain"])
def test_an_archive_that_grows_is_read_to_its_end(tmp_path, form):
    pa = pytest.importorskip("pyarrow")
    data = (FIXTURES / "crawl.warc.gz").read_bytes()
    data = data if form == "gzip" else gzip.decompress(data)
    path = tmp_path / "a.warc"
    path.write_bytes(data)
    extents = divided([str(path)], 20_000)
    assert len(extents) > 1
    path.write_bytes(data * 2)

    def count(extent):
        return sum(len(pa.record_batch(batch)) for batch in records(extent.path, columns=["offset"], **extent.arguments()))

    assert sum(map(count, extents)) == count(divided([str(path)], None)[0]) > 100
