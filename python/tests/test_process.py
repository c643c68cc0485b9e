"""The life of a process: forks, threads at its end, other interpreters."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from robots_policy import Policy

FIXTURE = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "crawl.warc.gz"


def run(program, timeout=60):
    """Runs a program, and returns its exit code and output."""
    # CPython 3.12 and later warn of each fork next to threads.
    command = [sys.executable, "-W", "ignore:This process:DeprecationWarning", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout)
    return done.returncode, done.stdout + done.stderr


def decided(policy):
    decision = policy.decide("https://example.com/a", b"<meta name=robots content=noindex>")
    return (decision.may_fetch, decision.may_index)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_policy_works_after_a_fork():
    policy = Policy("ExampleBot")
    policy.learn("https://example.com/", b"User-agent: *\nDisallow: /private")
    assert decided(policy) == (True, False)
    child = os.fork()
    if child == 0:
        # The child ends here, without the tests of its parent.
        policy.learn("https://example.com/", b"User-agent: *\nDisallow: /")
        os._exit(0 if decided(policy) == (False, False) else 1)
    _, status = os.waitpid(child, 0)
    assert status == 0
    assert decided(policy) == (True, False)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize("taken", [0, 1, 1_000])
def test_an_iterator_of_archives_raises_after_a_fork(taken):
    program = f"""
import os
from itertools import islice
from robots_policy import ArchiveError, captures, decide_warc_batches, iter_decisions
path = {str(FIXTURE)!r}
for iterator in [iter_decisions(path), decide_warc_batches(path, captures(path).freeze())]:
    list(islice(iterator, {taken}))
    child = os.fork()
    if child == 0:
        for _ in range(2):
            try:
                next(iterator)
            except ArchiveError as error:
                assert "start reading after the fork" in str(error)
            else:
                os._exit(1)
        del iterator
        os._exit(len(list(iter_decisions(path))) <= 20)
    assert os.waitpid(child, 0)[1] == 0
    list(iterator)
"""
    assert run(program) == (0, "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_no_child_hangs_while_threads_decide():
    """Threads learn, decide and merge without a pause, and each child does the same with their objects."""
    program = f"""
import faulthandler, os, pickle, signal, threading
import pyarrow as pa
from robots_policy import ArchiveError, Policy, RobotRules, captures, decide_batch, decide_warc
path = {str(FIXTURE)!r}
# A small store, so that origins are always added and dropped.
policy, rules, book = Policy("ExampleBot", store_limit=20_000), RobotRules("ExampleBot"), captures(path)
frozen = book.freeze()
columns = {{"url": [f"https://{{n}}.example/" for n in range(50)], "html": [b"<p>"] * 50, "robots_txt": ["Disallow: /"] * 50}}
# Each thread has its own, as pyarrow locks a batch while it exports it, and a fork does not wait for that.
batches = [pa.record_batch(columns) for _ in range(4)]

def work(number, batch):
    policy.learn(f"https://{{number % 500}}.example/", f"User-agent: *\\nDisallow: /{{number}}")
    policy.decide(f"https://{{number % 500}}.example/", b"<p>")
    rules.parse("https://example.com/", "User-agent: *")
    rules.allowed("https://example.com/")
    decide_batch(batch, policies=policy)
    len(book), book.freeze()
    frozen.decide("http://www.joes-hardware.com/", b"<p>")

def forever(first, batch):
    number = first
    while not stopped:
        work(number, batch)
        number += 1

stopped = False
threads = [threading.Thread(target=forever, args=[first, batch], daemon=True) for first, batch in zip((0, 1_000, 2_000), batches)]
for thread in threads:
    thread.start()
for number in range(300):
    child = os.fork()
    if child == 0:
        # A child that hangs is ended by this signal, after a traceback.
        faulthandler.register(signal.SIGALRM, chain=True)
        signal.alarm(20)
        work(7, batches[-1])
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    assert status == 0, (number, status)
stopped = True
for thread in threads:
    thread.join()
print("done")
"""
    pytest.importorskip("pyarrow")
    assert run(program, timeout=300) == (0, "done\n")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_book_that_was_in_use_at_a_fork():
    program = f"""
import io, os, pickle, threading
from robots_policy import ArchiveError, captures, decide_warc
path = {str(FIXTURE)!r}
book = captures(path).freeze()
started, end = threading.Event(), threading.Event()

class Waiting(io.BytesIO):
    def read(self, size=-1):
        started.set()
        end.wait(20)
        return super().read(size)

def in_child(work):
    child = os.fork()
    if child == 0:
        work()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0

def is_refused():
    for use in (lambda: book.decide("https://example.com/"), lambda: decide_warc(path, book)):
        try:
            use()
        except ArchiveError as error:
            assert "the book was in use at a fork" in str(error)
        else:
            os._exit(1)
    loaded = pickle.loads(pickle.dumps(book))
    assert len(list(decide_warc(path, loaded))) > 20 and loaded.decide("https://example.com/")

def works():
    assert len(list(decide_warc(path, book))) > 20 and book.decide("https://example.com/")
    in_child(lambda: book.decide("https://example.com/"))

pages = decide_warc(Waiting(open(path, "rb").read()), book)
assert started.wait(20)
in_child(is_refused)
end.set()
pages.close()
in_child(works)
"""
    assert run(program) == (0, "")


def test_decisions_at_the_end_of_the_interpreter():
    program = """
import atexit, threading, robots_policy
page = b"<title>" + b"x" * 1_000_000

def forever():
    while True:
        robots_policy.decide("https://example.com/", page)

for _ in range(3):
    threading.Thread(target=forever, daemon=True).start()
atexit.register(lambda: print(robots_policy.decide("https://example.com/", b"<p>").index))
"""
    assert run(program) == (0, "unknown\n")


@pytest.mark.skipif(sys.version_info < (3, 12), reason="earlier versions do not ask modules whether they support it")
def test_other_interpreters_get_an_error():
    program = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
import robots_policy
other = interpreters.create()
interpreters.run_string(other, '''
try:
    import robots_policy
except ImportError as error:
    print(error, flush=True)
''')
interpreters.destroy(other)
print(robots_policy.decide("https://example.com/", b"<p>").index)
"""
    refused = "module robots_policy._native does not support loading in subinterpreters"
    assert run(program) == (0, f"{refused}\nunknown\n")


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="later versions refuse the import")
def test_a_process_ends_with_another_interpreter():
    program = """
import _xxsubinterpreters as interpreters
other = interpreters.create()
interpreters.run_string(other, "import robots_policy; print(robots_policy.decide('https://example.com/', b'<p>').index, flush=True)")
"""
    assert run(program) == (0, "unknown\n")
