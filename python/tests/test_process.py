"""The life of a process: forks, threads at its end, other interpreters."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from robots_policy import Policy

FIXTURE = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "crawl.warc.gz"


def run(program):
    """Runs a program, and returns its exit code and output."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
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
