"""The work of tasks of other engines, without such an engine."""

import random
import tracemalloc
from contextlib import contextmanager
from pathlib import Path

import pytest

pa = pytest.importorskip("pyarrow")

from robots_policy import ArchiveError, InputError, _tasks
from robots_policy._extents import Extent

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "fixtures"


def captures(rows, body=None):
    """Returns a batch of a table of captures: pairs of a file and a row."""
    count = len(rows)
    columns = {
        "file": [file for file, _ in rows],
        "row": [row for _, row in rows],
        "url": [f"http://{file}.example/{row}" for file, row in rows],
        "captured_at": [1_700_000_000_000_000 + row for _, row in rows],
        "outcome": ["response"] * count,
        "status": [200] * count,
        "body": [f"{file} {row}".encode() for file, row in rows],
    }
    batch = _tasks.rows_of(_tasks.CAPTURES, **columns)
    return batch if body is None else batch.set_column(batch.schema.get_field_index("body"), "body", body)


def test_captures_are_in_the_order_of_their_files():
    rows = [(file, row) for file in "abc" for row in range(3_000)]
    mixed = random.Random(1).sample(rows, len(rows))
    batches = [captures(mixed[:10]), captures([]), captures(mixed[10:8_500]), captures(mixed[8_500:])]
    warning = _tasks.rows_of(_tasks.CAPTURES, file=["a"], warning=["damaged"])
    found = list(_tasks.book_rows(pa.Table.from_batches([warning, *batches])))
    known = lambda file, row: (f"http://{file}.example/{row}", 1_700_000_000, "response", 200, None, None, f"{file} {row}".encode(), file, None, None)
    expected = [known(file, row) for file, row in rows]
    assert found == expected
    assert list(_tasks.book_rows(pa.Table.from_batches([warning]))) == []


def test_a_table_of_captures_may_have_more_than_two_gigabytes_of_bodies():
    # The batches share the memory of their bodies.
    bodies = pa.array([b"x" * (1 << 20)] * 64, pa.binary())
    batches = [captures([(f"{number:02}", row) for row in range(64)], bodies) for number in range(33)]
    table = pa.Table.from_batches(reversed(batches))
    assert table.nbytes > 2**31
    count = 0
    for number, row in enumerate(_tasks.book_rows(table)):
        assert row[0] == f"http://{number // 64:02}.example/{number % 64}"
        assert len(row[6]) == 1 << 20
        count += 1
        if count % 2_000 == 0:
            break
    assert count == 2_000


class WithoutMemory:
    """A file object that fails for lack of memory after its first bytes."""

    def __init__(self, error):
        self.error, self.reads = error, 0
        self.data = (FIXTURES / "crawl.warc.gz").read_bytes()

    def seek(self, offset):
        self.at = offset

    def read(self, size):
        self.reads += 1
        if self.reads > 2:
            raise self.error
        data = self.data[:20_000]
        self.data = self.data[20_000:]
        return data


@pytest.mark.parametrize("kind", ["records", "decisions", "captures"])
def test_a_task_without_memory_fails_and_other_faults_are_rows(monkeypatch, kind):
    def rows(error):
        @contextmanager
        def opened(extent):
            yield WithoutMemory(error), "a.warc.gz"

        monkeypatch.setattr(_tasks, "opened", opened)
        extent = Extent("s3://a.warc.gz")
        if kind == "records":
            batches = _tasks.record_batches(extent, _tasks.record_schema(["offset"]), {})
        elif kind == "decisions":
            book = _tasks.book_of(pa.Table.from_batches([], _tasks.CAPTURES), None, None)
            batches = _tasks.decision_batches(extent, book, 0, _tasks.decision_schema(False, False, ["url"]), fails=False)
        else:
            batches = _tasks.capture_batches(extent, None)
        return [row for batch in batches for row in batch.to_pylist()]

    assert "connection lost" in rows(OSError("connection lost"))[-1]["error"]
    with pytest.raises(MemoryError):
        rows(MemoryError())


def test_captures_serve_profiles_without_a_limit_of_size(tmp_path):
    body = b"User-agent: *\nDisallow: /x\n".ljust(600_000, b"#")
    block = b"HTTP/1.1 200 x\r\nContent-Type: text/plain\r\n\r\n" + body
    head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/robots.txt\r\nContent-Length: {len(block)}\r\n\r\n"
    path = tmp_path / "a.warc"
    path.write_bytes(head.encode() + block + b"\r\n\r\n")
    (row,) = (row for batch in _tasks.capture_batches(Extent(str(path)), None) for row in batch.to_pylist())
    assert row["body"] == body


def test_the_fault_of_an_index_is_a_row_without_a_file():
    extent = Extent("", fault="a.cdx.gz: damaged")
    schema = _tasks.record_schema(["file", "offset"])
    (batch,) = _tasks.record_batches(extent, schema, {})
    assert batch.to_pylist() == [{"file": None, "offset": None, "error": "a.cdx.gz: damaged"}]
    with pytest.raises(ArchiveError, match="a.cdx.gz: damaged"):
        list(_tasks.record_batches(extent, schema, {"faults": False}))


def test_filters_are_checked_with_the_columns():
    assert _tasks.record_schema("file", {"types": ["response"], "statuses": [200]}).names == ["file", "error"]
    with pytest.raises(InputError, match="status 70000"):
        _tasks.record_schema(None, {"statuses": [70_000]})
    with pytest.raises(TypeError):
        _tasks.record_schema(None, {"types": [1]})


def test_a_listing_becomes_objects_one_archive_at_a_time():
    pytest.importorskip("pyspark")
    from robots_policy._spark_pages import listed_extents

    place = pa.struct([("offset", pa.int64()), ("length", pa.int64())])
    ranges = pa.array([{"offset": 929 * number, "length": None if number == 1 else number} for number in range(10_000)], place)
    count = 40
    lists = pa.ListArray.from_arrays(pa.array(range(0, (count + 1) * 10_000, 10_000), pa.int32()), pa.concat_arrays([ranges] * count))
    files = pa.array([None if number == 3 else f"{number}.gz" for number in range(count)])
    errors = pa.array(["a.cdx: damaged" if number == 3 else None for number in range(count)])
    listing = pa.RecordBatch.from_arrays([files, errors, lists], names=["file", "error", "ranges"]).slice(1)
    tracemalloc.start()
    try:
        extents = 0
        for number, extent in enumerate(listed_extents(listing, "s3://b/"), start=1):
            if number == 3:
                assert extent == Extent("", fault="a.cdx: damaged")
            else:
                assert extent.path == f"s3://b/{number}.gz" and extent.ranges is not None
                assert len(extent.ranges) == 10_000 and extent.ranges[:3] == ((0, 0), (929, None), (1858, 2))
            extents += 1
        assert extents == count - 1
        # A range takes about 130 bytes, and the list of all ranges 50 MB.
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()
