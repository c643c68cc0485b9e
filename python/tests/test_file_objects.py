"""Archives from file objects: the rows, warnings and errors of the same archives as paths."""

import gc
import gzip
import io
import json
import os
import socket
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import fsspec
import pytest

from robots_policy import (
    ArchiveError,
    ArchiveWarning,
    FileObjectError,
    InputError,
    captures,
    decide_warc,
    decide_warc_batches,
    RobotsError,
    iter_decisions,
    read_pages,
    records,
)

ROOT = Path(__file__).resolve().parents[2]
FIXTURE = ROOT / "tests" / "fixtures" / "crawl.warc.gz"
CORPUS = Path(os.environ.get("ROBOTS_CORPUS", ROOT.parent / "shared")) / "corpus"
ARCHIVES = [path for path in (FIXTURE, CORPUS / "crawl.warc.gz") if path.exists()]
AT = 1_790_000_000


def run(inputs, **options):
    """Returns the rows, the warnings, and the exception at the end."""
    rows, error = [], None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            for page in iter_decisions(inputs, agents=["Googlebot", "GPTBot"], at=AT, **options):
                rows.append(page.to_dict())
        except Exception as raised:
            error = raised
    return rows, [str(warning.message) for warning in caught], error


class Pieces:
    """A file object that returns a few bytes at a time, and raises at its end."""

    def __init__(self, data, error=None, size=1_000):
        self.file, self.error, self.size = io.BytesIO(data), error, size

    def read(self, size):
        piece = self.file.read(min(size, self.size))
        if not piece and self.error is not None:
            raise self.error
        return piece


@pytest.mark.parametrize("path", ARCHIVES, ids=lambda path: path.parent.name)
@pytest.mark.parametrize("source", ["inputs", "robots"])
def test_rows_are_those_of_the_path(path, source):
    options = {"robots": path} if source == "robots" else {}
    expected = run(path, **options)
    assert len(expected[0]) > 20 and expected[2] is None
    with path.open("rb") as file:
        assert run(file, **options) == expected
        assert not file.closed
    with fsspec.open(f"file://{path}", "rb") as file:
        assert run(file, name=str(path), **options) == expected
    data = path.read_bytes()
    assert run(Pieces(data), name=str(path), threads=1, **options) == expected
    assert run([io.BytesIO(data)], name=[str(path)], **options) == expected


def test_sockets():
    ours, theirs = socket.socketpair()
    data = FIXTURE.read_bytes()

    def send():
        with theirs:
            theirs.sendall(data)

    sender = threading.Thread(target=send)
    sender.start()
    with ours, ours.makefile("rb") as file:
        rows, _, error = run(file, name=str(FIXTURE))
    sender.join()
    assert error is None and rows == run(FIXTURE)[0]


def test_names():
    def names(inputs, **options):
        return list(dict.fromkeys(page.file for page in iter_decisions(inputs, **options)))

    data = FIXTURE.read_bytes()
    assert names(io.BytesIO(data)) == ["<BytesIO>"]
    assert names(io.BytesIO(data), name="memory") == ["memory"]
    descriptor = os.open(FIXTURE, os.O_RDONLY)
    with os.fdopen(descriptor, "rb") as file:
        assert isinstance(file.name, int)
        assert names(file) == ["<BufferedReader>"]
    object = Pieces(data)
    object.name = Path("a") / "b"
    assert names([object, FIXTURE, Pieces(data)], name=["first", "second"]) == ["first", str(FIXTURE), "second"]
    object = Pieces(data)
    object.name = Path("a") / "b"
    assert names(iter([object])) == [os.path.join("a", "b")]
    with pytest.raises(InputError, match="each of 1 file objects, got 2"):
        iter_decisions(io.BytesIO(data), name=["a", "b"])
    with pytest.raises(InputError, match="each of 0 file objects, got 1"):
        iter_decisions(FIXTURE, name="a")


def test_damage_and_other_files_are_as_for_paths(tmp_path):
    data = FIXTURE.read_bytes()
    plain = gzip.decompress(data)
    cases = [
        data[:-300],
        data[77:],
        plain,
        plain.replace(b"Content-Length: ", b"Content-Length: 9", 9),
        b"",
        b"<!DOCTYPE html>" * 9000,
        gzip.compress(data),
    ]
    for number, case in enumerate(cases):
        path = tmp_path / f"{number}.warc"
        path.write_bytes(case)
        rows, texts, error = run(path)
        others = run(Pieces(case, size=77), name=str(path))
        assert others[:2] == (rows, texts)
        assert type(others[2]) is type(error) and str(others[2]) == str(error)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("robots", [None, FIXTURE])
def test_exceptions_come_out_as_they_are(threads, robots):
    data = FIXTURE.read_bytes()
    raised = TimeoutError("no bytes for a minute")
    inputs = [Pieces(data[:20_000], raised), FIXTURE]
    rows, texts, error = run(inputs, threads=threads, robots=robots, name="object")
    # The pages before it, and all of the other input.
    files = [row["file"] for row in rows]
    assert 10 < files.count("object") < files.count(str(FIXTURE))
    assert error is raised
    assert isinstance(error.__context__, ArchiveError) and "object" in str(error.__context__)
    assert any("object" in text and "no bytes for a minute" in text for text in texts)
    frames = []
    traceback = error.__traceback__
    while traceback is not None:
        frames.append(traceback.tb_frame.f_code.co_name)
        traceback = traceback.tb_next
    assert "read" in frames


def test_an_exception_with_a_context_keeps_it():
    class Failing:
        def read(self, size):
            try:
                raise KeyError("key")
            except KeyError as error:
                raise OSError("lost") from error

    _, _, error = run(Failing())
    assert type(error) is OSError and isinstance(error.__cause__, KeyError) and isinstance(error.__context__, KeyError)


@pytest.mark.parametrize("raised", [StopIteration, StopAsyncIteration])
def test_an_exception_that_would_end_the_iteration_is_the_cause_of_another(raised):
    data = FIXTURE.read_bytes()
    book = captures(FIXTURE).freeze()
    iterators = [
        lambda file: iter_decisions(file, name="x"),
        lambda file: decide_warc(file, book, name="x"),
        lambda file: decide_warc_batches(file, book, name="x", on_warning=str),
        lambda file: records(file, name="x"),
        lambda file: read_pages(file, name="x", on_warning=str),
    ]
    for iterator in iterators:
        with warnings.catch_warnings(), pytest.raises(RuntimeError, match=f"raised {raised.__name__}") as error:
            warnings.simplefilter("ignore")
            list(iterator(Pieces(data[:20_000], raised(7))))
        assert type(error.value.__cause__) is raised and error.value.__cause__.args == (7,)

    def on_warning(text):
        raise raised(text)

    with pytest.raises(RuntimeError, match=f"raised {raised.__name__}") as error:
        list(decide_warc_batches(io.BytesIO(data[:-300]), book, name="x", on_warning=on_warning))
    assert "x" in error.value.__cause__.args[0]


@pytest.mark.parametrize("final", [KeyboardInterrupt, SystemExit])
def test_exceptions_that_are_not_errors_end_the_run(final):
    data = FIXTURE.read_bytes()
    pages = iter_decisions([Pieces(data[:20_000], final("now")), FIXTURE], robots=FIXTURE, threads=1)
    files = set()
    with warnings.catch_warnings(), pytest.raises(final, match="now"):
        warnings.simplefilter("ignore")
        for page in pages:
            files.add(page.file)
    assert str(FIXTURE) not in files and list(pages) == []


def test_objects_that_do_not_return_bytes():
    class Returning:
        def __init__(self, value):
            self.value = value

        def read(self, size):
            return self.value

    for value, text in [(None, "does not block"), ("text", "binary mode"), (7, "got int"), ([b"a"], "got list")]:
        _, _, error = run(Returning(value))
        assert type(error) is FileObjectError and text in str(error), value
    with FIXTURE.open(encoding="latin-1") as file:
        assert isinstance(run(file)[2], FileObjectError)
    assert issubclass(FileObjectError, TypeError) and issubclass(FileObjectError, RobotsError)
    with pytest.raises(TypeError, match="a path or a binary file object"):
        iter_decisions([7])
    data = FIXTURE.read_bytes()
    for kind in [bytearray, memoryview]:
        rows, _, error = run(type("File", (), {"file": io.BytesIO(data), "read": lambda self, n: kind(self.file.read(n))})())
        assert error is None and len(rows) > 20
    # More bytes than were asked for, and reads after the end.
    whole = Pieces(data, size=1 << 30)
    whole.read = lambda size, read=whole.read: read(1 << 30)
    assert run(whole, name=str(FIXTURE))[0] == run(FIXTURE)[0]


PAGE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>x</title>"
HEAD = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\nContent-Length: %d\r\n\r\n" % len(PAGE)
RECORD = HEAD + PAGE + b"\r\n\r\n"


def endless():
    """A file object without an end: one record of a page, many times."""

    class Endless:
        reads = 0

        def read(self, size):
            self.reads += 1
            time.sleep(0.001)
            return RECORD * 20

    return Endless()


def wait_for_the_end_of_reading(file):
    for _ in range(100):
        reads = file.reads
        time.sleep(0.05)
        if file.reads == reads:
            return
    pytest.fail("the thread still reads")


def test_rows_come_while_the_object_is_read_and_a_dropped_iterator_ends_that():
    file = endless()
    pages = iter_decisions(file, robots=FIXTURE)
    assert [next(pages).decision.url for _ in range(3_000)][-1] == "http://a.example/"
    del pages
    wait_for_the_end_of_reading(file)


@pytest.mark.skipif(not hasattr(__import__("signal"), "setitimer"), reason="no interval timers")
def test_a_signal_ends_the_thread():
    import signal

    file = endless()
    # All pages wait for the last robots.txt, so no row comes.
    pages = iter_decisions(file)
    former = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            next(pages)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)
    wait_for_the_end_of_reading(file)
    assert list(pages) == []


def test_other_threads_of_python_run_meanwhile():
    file = endless()
    pages = iter_decisions(file, robots=FIXTURE)
    counts = []

    def count():
        end, number = time.monotonic() + 0.2, 0
        while time.monotonic() < end:
            number += 1
        counts.append(number)

    counter = threading.Thread(target=count)
    counter.start()
    for _ in range(100):
        next(pages)
    counter.join()
    assert counts[0] > 100


def test_memory_is_bounded():
    resource = pytest.importorskip("resource")
    file = endless()
    pages = iter_decisions(file, robots=FIXTURE, reasons=False)
    for _ in range(20_000):
        next(pages)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(100_000):
        next(pages)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 16 << 10
    # The bytes that were read ahead of the rows.
    assert file.reads < 120_000 // 20 + 5_000


@pytest.mark.parametrize("end", ["pass", "next(pages)", "import os; os.close(os.open('.', 0)); raise SystemExit(0)"])
def test_the_interpreter_may_end_while_a_thread_reads(end):
    program = f"""
import time
from robots_policy import iter_decisions
class Slow:
    def read(self, size):
        time.sleep(0.002)
        return {RECORD!r} * 20
pages = iter_decisions(Slow(), robots={str(FIXTURE)!r})
time.sleep(0.2)
{end}
"""
    for _ in range(3):
        run = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, timeout=30)
        assert (run.returncode, run.stderr) == (0, "")


# Closes the other end of a file that is read, when the interpreter ends.
CLOSED_AT_THE_END = """
class AtEnd:
    def __del__(self, close=theirs.close, sleep=time.sleep):
        close()
        sleep(0.5)
at_end = AtEnd()
"""


@pytest.mark.parametrize("call", ["iter_decisions(file, name='x')", "decide_warc(file, captures(FIXTURE).freeze(), name='x')"])
@pytest.mark.parametrize("end", ["pass", "threading.Thread(target=list, args=[pages], daemon=True).start()"])
def test_the_interpreter_may_end_while_a_read_waits(call, end):
    program = f"""
import socket, threading, time
from robots_policy import captures, decide_warc, iter_decisions
FIXTURE = {str(FIXTURE)!r}
ours, theirs = socket.socketpair()
file = ours.makefile("rb")
pages = {call}
time.sleep(0.2)
{CLOSED_AT_THE_END}
{end}
"""
    for _ in range(2):
        run = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, timeout=30)
        assert (run.returncode, run.stderr) == (0, "")


def test_a_thread_of_python_may_wait_for_a_read_at_the_end():
    program = f"""
import socket, threading, time
from robots_policy import records
ours, theirs = socket.socketpair()
threading.Thread(target=lambda: list(records(ours.makefile("rb"))), daemon=True).start()
time.sleep(0.2)
{CLOSED_AT_THE_END}
"""
    for _ in range(2):
        run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30)
        assert (run.returncode, run.stderr) == (0, "")


def test_the_summary():
    pages = iter_decisions(io.BytesIO(FIXTURE.read_bytes()))
    rows = list(pages)
    assert json.loads(pages.summary_json)["pages"] == len(rows)
    with pytest.warns(ArchiveWarning), pytest.raises(ArchiveError, match="BytesIO"):
        list(iter_decisions(io.BytesIO(b"")))


def test_a_dropped_iterator_stops_within_a_record():
    class Endless:
        """A record that does not end."""

        reads = 0

        def read(self, size):
            self.reads += 1
            time.sleep(0.01)
            if self.reads == 1:
                return b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\nContent-Length: 1000000000000\r\n\r\n"
            return b" " * size

    file = Endless()
    decisions = iter_decisions(file)
    while file.reads < 5:
        time.sleep(0.01)
    del decisions
    gc.collect()
    # A read that was under way may end.
    time.sleep(0.3)
    reads = file.reads
    time.sleep(0.3)
    assert file.reads == reads


def test_threads_share_an_iterator():
    expected = sorted(str(page.decision.url) for page in iter_decisions(FIXTURE, agents="ExampleBot"))
    decisions = iter_decisions(FIXTURE, agents="ExampleBot")
    found = [[] for _ in range(4)]

    def take(urls):
        for page in decisions:
            urls.append(page.decision.url)
            assert decisions.summary_json is None or isinstance(decisions.summary_json, str)

    threads = [threading.Thread(target=take, args=(urls,)) for urls in found]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(sum(found, [])) == expected and len(expected) > 20
