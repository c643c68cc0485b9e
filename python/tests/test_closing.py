"""Iterators are closed: their threads end, and their files are released."""

import gc
import io
import os
import threading
import time
from pathlib import Path

import pytest

from robots_policy import ArchiveError, InputError, captures, decide_stream, decide_warc, decide_warc_batches, iter_decisions, read_pages, records

FIXTURE = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "crawl.warc.gz"
pa = pytest.importorskip("pyarrow")
PAGES = pa.table({"url": ["https://example.com/"] * 3, "html": [b"<p>"] * 3})

#: Every function that returns an iterator of an archive.
ARCHIVES = {
    "decide_warc": lambda path: decide_warc(path, captures(FIXTURE).freeze()),
    "decide_warc_batches": lambda path: decide_warc_batches(path, captures(FIXTURE).freeze()),
    "iter_decisions": lambda path: iter_decisions(path, robots=FIXTURE),
    "read_pages": read_pages,
    "records": records,
}


def open_files(path):
    """Returns the number of descriptors of a file in this process."""
    folder = "/proc/self/fd"
    targets = [os.path.realpath(os.path.join(folder, name)) for name in os.listdir(folder)]
    return targets.count(os.path.realpath(path))


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="counts descriptors and threads in /proc")
@pytest.mark.parametrize("name", ARCHIVES)
def test_closing_ends_threads_and_releases_files(name, tmp_path):
    path = tmp_path / "crawl.warc"
    page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>" + b"x" * 10_000
    head = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://example.com/\r\nContent-Type: application/http\r\n"
    record = head + b"Content-Length: %d\r\n\r\n%s\r\n\r\n" % (len(page), page)
    # More pages than wait to be received.
    path.write_bytes(record * 20_000)
    start = ARCHIVES[name]
    threads = len(os.listdir("/proc/self/task"))
    with start(path) as iterator:
        next(iterator)
        assert open_files(path) > 0
    # The iterator is still referenced.
    assert open_files(path) == 0
    deadline = time.monotonic() + 10
    # A thread that has ended leaves this list a moment later.
    while len(os.listdir("/proc/self/task")) > threads and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(os.listdir("/proc/self/task")) <= threads
    iterator.close()
    for _ in range(2):
        with pytest.raises(InputError, match=f"is closed: call {name} again"):
            next(iterator)


@pytest.mark.parametrize("name", ARCHIVES)
def test_an_exhausted_or_unused_iterator_is_closed(name):
    start = ARCHIVES[name]
    start(FIXTURE).close()
    with start(FIXTURE) as iterator:
        assert list(iterator)
    with pytest.raises(ZeroDivisionError), start(FIXTURE) as iterator:
        next(iterator)
        1 / 0
    with pytest.raises(InputError, match="is closed"):
        next(iterator)


def test_a_stream_is_closed():
    class Stream:
        """A stream that counts the references to its reader."""

        def __init__(self):
            self.reader = PAGES.to_reader(max_chunksize=1)

        def __arrow_c_stream__(self, requested_schema=None):
            return self.reader.__arrow_c_stream__(requested_schema)

    released = []

    def batches():
        try:
            yield from PAGES.to_batches(max_chunksize=1)
        finally:
            released.append(True)

    with decide_stream(pa.RecordBatchReader.from_batches(PAGES.schema, batches())) as stream:
        assert len(next(stream)) == 1
        assert not released
    gc.collect()
    assert released
    with pytest.raises(InputError, match="the stream is closed: call decide_stream again"):
        next(stream)
    with pytest.raises(InputError, match="the stream is closed"):
        pa.table(stream)
    # One that was handed over belongs to its reader.
    with decide_stream(Stream()) as stream:
        reader = pa.RecordBatchReader.from_stream(stream)
    assert len(reader.read_all()) == 3
    with pytest.raises(InputError, match="handed to another reader"):
        next(stream)


def test_a_file_object_may_close_its_iterator():
    class Closing(io.BytesIO):
        def read(self, size=-1):
            iterator.close()
            closed.set()
            return super().read(size)

    closed, started = threading.Event(), threading.Event()
    iterator = None

    class Waiting(Closing):
        def read(self, size=-1):
            started.wait(10)
            return super().read(size)

    iterator = iter_decisions(Waiting(FIXTURE.read_bytes()), robots=FIXTURE)
    started.set()
    assert closed.wait(10)
    with pytest.raises(InputError, match="is closed"):
        next(iterator)


@pytest.mark.filterwarnings("ignore:.*an empty file")
def test_another_thread_may_close_an_iterator_that_waits():
    waiting = threading.Event()
    end = threading.Event()

    class Blocking:
        def read(self, size):
            waiting.set()
            end.wait(10)
            return b""

    iterator = iter_decisions(Blocking(), robots=FIXTURE)
    errors = []

    def read():
        try:
            next(iterator)
        except (ArchiveError, InputError) as error:
            errors.append(error)

    reader = threading.Thread(target=read)
    reader.start()
    assert waiting.wait(10)
    closer = threading.Thread(target=iterator.close)
    closer.start()
    end.set()
    closer.join(10)
    reader.join(10)
    assert not closer.is_alive() and not reader.is_alive()
    # The run may end by the end of the empty input before.
    assert len(errors) == 1
    with pytest.raises(InputError, match="is closed"):
        next(iterator)
