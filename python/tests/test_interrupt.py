"""Signals, such as Ctrl-C, during long calls. Those during batches and archives are in the tests of these."""

import signal
import time
from contextlib import contextmanager

import pytest

from robots_policy import RobotsBook, RobotsTxt, diff, lint, lint_page

CAN_INTERRUPT = hasattr(signal, "setitimer")

#: The time between two signals, and the maximum time after which one ends a call, in seconds.
INTERVAL, MAX_LATENCY = 0.05, 0.5


@contextmanager
def interrupts():
    """Sends signals. The handler raises at the second call: one at the end of a call of Rust is not enough. Fails if the exception
    comes late."""
    calls = []

    def handle(number, frame):
        calls.append(time.monotonic())
        if len(calls) == 2:
            raise KeyboardInterrupt

    former = signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, INTERVAL, INTERVAL)
    try:
        yield
        # The second signal was sent at the latest an interval after the first one was handled.
        assert time.monotonic() - calls[0] - INTERVAL < MAX_LATENCY
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)


RULES = b"User-agent: *\n" + b"".join(b"Disallow: /*a%d*b\n" % number for number in range(800_000))


def patterns(letter):
    """Returns rules that take long to compare."""
    lines = (f"Disallow: /*{letter}{number}*{number + 1}*{letter}" for number in range(3_000))
    return RobotsTxt("User-agent: *\n" + "\n".join(lines))


@pytest.mark.skipif(not CAN_INTERRUPT, reason="no interval timers")
@pytest.mark.parametrize(
    "call",
    [
        lambda: lint(RULES),
        lambda: lint_page(b"<meta name=robots content='noindex, indx'>" * 2_000_000),
        lambda: diff(patterns("a"), patterns("b"), [f"bot{number}" for number in range(100)]),
        lambda: RobotsBook.from_rows([("https://example.com/robots.txt", 0, "response", 200, None, None, b"")] * 10_000_000),
    ],
    ids=["lint", "lint_page", "diff", "from_rows"],
)
def test_a_signal_ends_a_long_call(call):
    with interrupts(), pytest.raises(KeyboardInterrupt):
        call()
