"""The clock of functions: the time of the call by default, none with None, and else the time that is passed."""

import inspect
import io
import time
from datetime import datetime, timedelta, timezone

import pyarrow as pa
import pytest

import robots_policy
from robots_policy import FrozenRobotsBook, OriginDecider, Policy, RobotRules, RobotsBook, _by_origin

URL = "https://example.com/"
NOW = datetime.now(timezone.utc)
YESTERDAY, LAST_WEEK = NOW - timedelta(days=1), NOW - timedelta(days=7)
#: A page that expired yesterday.
PAGE = f"<meta name=robots content='unavailable_after: {YESTERDAY:%Y-%m-%dT%H:%M:%SZ}'>".encode()
RESPONSE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + PAGE
ARCHIVE = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nContent-Type: application/http\r\n" % URL.encode()
ARCHIVE += b"WARC-Date: %s\r\n" % f"{LAST_WEEK:%Y-%m-%dT%H:%M:%SZ}".encode()
ARCHIVE += b"Content-Length: %d\r\n\r\n%s\r\n\r\n" % (len(RESPONSE), RESPONSE)
BATCH = pa.record_batch({"url": [URL], "html": [PAGE]})


def policy():
    return Policy("Googlebot")


def book():
    return RobotsBook.from_rows([], agents="Googlebot").freeze()


def rows_of(batches):
    return [row for batch in batches for row in pa.record_batch(batch).to_pylist()]


def of_index(index):
    """What the page alone says: without its robots.txt, a permission is not known."""
    return {"no": "no", "unknown": "yes"}[str(index)]


def of_row(row):
    """The answer of a row of columns: whether the page permits to index it, and whether a warning says that its date was not applied."""
    return of_index(row["index"]), "no_time" in row["warnings_json"]


def of_decision(decision):
    return of_index(decision.index), any(warning.kind == "no_time" for warning in decision.warnings)


def by_origin(**at):
    """Decides as a task of Spark does."""
    options = _by_origin.PageOptions("Googlebot", None)
    source = io.BytesIO(ARCHIVE)
    pages = rows_of(robots_policy.read_pages(source, agents=options.agents))
    decider = OriginDecider(agents=options.agents, explain=True, **at)
    decided = decider.add([(page["key"], 0, "", page["facts"], None) for page in pages])
    return of_row(rows_of([*decided, *decider.finish()])[0])


def rules_hold(**at):
    """Whether rules that held until yesterday hold: as `index`, and without a warning."""
    rules = RobotRules("ExampleBot")
    if at:
        rules.set_now(at["at"])
    rules.parse(f"{URL}robots.txt", "", YESTERDAY)
    return ("yes" if rules.allowed(URL) == 1 else "no"), not any(at.values()) and bool(at)


#: Every function that takes a time, by name: its answer about a page that expired yesterday.
FUNCTIONS = {
    "Policy.decide": lambda **at: of_decision(policy().decide(URL, PAGE, **at)),
    "FrozenRobotsBook.decide": lambda **at: of_decision(book().decide(URL, PAGE, **at)[0]),
    "OriginDecider": by_origin,
    "RobotRules.set_now": rules_hold,
    "decide": lambda **at: of_decision(robots_policy.decide(URL, PAGE, **at)),
    "decide_batch": lambda **at: of_row(rows_of([robots_policy.decide_batch(BATCH, explain=True, **at)])[0]),
    "decide_frame": lambda **at: of_row(robots_policy.decide_frame(pa.table(BATCH), explain=True, **at).to_pylist()[0]),
    "decide_stream": lambda **at: of_row(rows_of(robots_policy.decide_stream(BATCH, explain=True, **at))[0]),
    "decide_warc": lambda **at: of_decision(next(iter(robots_policy.decide_warc(io.BytesIO(ARCHIVE), book(), **at))).decision),
    "decide_warc_batches": lambda **at: of_row(
        rows_of(robots_policy.decide_warc_batches(io.BytesIO(ARCHIVE), book(), explain=True, **at))[0]
    ),
    "iter_decisions": lambda **at: of_decision(
        next(iter(robots_policy.iter_decisions(io.BytesIO(ARCHIVE), agents="Googlebot", **at))).decision
    ),
    "lint_page": lambda **at: (
        "no" if any("has passed" in finding.message for finding in robots_policy.lint_page(PAGE, **at)) else "yes",
        at == {"at": None},
    ),
}


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_a_page_that_expired_yesterday(function):
    assert function() == ("no", False)
    assert function(at="now") == ("no", False)
    assert function(at=None) == ("yes", True)
    assert function(at=LAST_WEEK) == ("yes", False)
    assert function(at=LAST_WEEK.timestamp()) == ("yes", False)
    assert function(at=NOW) == ("no", False)


def test_every_function_that_takes_a_time_is_in_the_table():
    public = {name: getattr(robots_policy, name) for name in robots_policy.__all__}
    owned = {f"{name}.{method}": value for name, owner in public.items() if inspect.isclass(owner) for method, value in vars(owner).items()}
    found = set()
    for name, value in (public | owned | {"OriginDecider": OriginDecider}).items():
        try:
            parameters = inspect.signature(value).parameters
        except (TypeError, ValueError):
            continue
        if "now" in parameters or "at" in parameters and parameters["at"].default == "now":
            found.add(name)
        else:
            assert "at" not in parameters, name
    assert found - {"OriginDecider.__new__", "Policy.learn"} == set(FUNCTIONS)


def test_a_robots_txt_is_learned_at_the_time_of_the_call():
    def fetch(**at):
        learning = policy()
        learning.learn(URL, "User-agent: *\nDisallow: /", **at)
        return str(learning.decide(URL, at=time.time() + 40 * 24 * 60 * 60).fetch), learning.ask_again_at(URL) is None

    stale, _ = fetch(at=NOW)
    assert fetch() == (stale, False)
    assert fetch(at=None) == ("disallow", True)
    assert stale != "disallow"


def test_other_texts_are_no_times():
    with pytest.raises(TypeError, match="a number of seconds or a datetime"):
        policy().decide(URL, at="today")
    with pytest.raises(TypeError, match="a number of seconds or a datetime"):
        RobotRules("a").set_now("today")
    with pytest.raises(TypeError):
        FrozenRobotsBook.from_bytes(book().to_bytes()).decide(URL, PAGE, at=b"now")
