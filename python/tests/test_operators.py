"""Each robot is read as its operator reads, unless a profile or dialect is named: the questions of tests/operators.toml."""

from pathlib import Path
from urllib.parse import urljoin

import pytest

from robots_policy import Agent, Policy, RobotsTxt, decide_batch, diff

# From Python 3.11 on.
tomllib = pytest.importorskip("tomllib")

URL = "https://example.com/"
DATA = tomllib.loads((Path(__file__).parents[2] / "tests/operators.toml").read_text(encoding="utf-8"))
ROBOTS = DATA["robots"]


@pytest.mark.parametrize("question", DATA["question"], ids=lambda question: question["name"])
def test_robots_are_read_as_their_operators_read(question):
    body, url = question["robots-txt"].encode(), urljoin(URL, question["url"])
    expected = {robot: robot not in question["disallowed"] for robot in ROBOTS}
    robots = RobotsTxt(body, url=URL + "robots.txt")
    assert {robot: robots.rules(robot).allowed(url) for robot in ROBOTS} == expected

    policies = {robot: Policy(robot) for robot in ROBOTS}
    for policy in policies.values():
        policy.learn(URL, body)
    assert {robot: policy.decide(url).may_fetch for robot, policy in policies.items()} == expected

    changes = diff(RobotsTxt(b""), RobotsTxt(body), ROBOTS)
    rules = {robot: RobotsTxt(body).rules(robot) for robot in ROBOTS}
    for change in changes:
        assert not rules[change.agent].allowed(change.path)
    changed = {change.agent for change in changes}
    assert changed >= {robot for robot in ROBOTS if not rules[robot].allowed(url)}
    assert Policy("Googlebot").decide(url).profile == "google"
    assert robots.rules(Agent("Applebot")).dialect == "apple"


def test_batches_are_read_as_operators_read():
    pa = pytest.importorskip("pyarrow")
    for question in DATA["question"]:
        pages = {"url": [urljoin(URL, question["url"])], "html": [b""], "robots_txt": [question["robots-txt"].encode()]}
        batch = pa.RecordBatch.from_pydict(pages)
        rows = pa.record_batch(decide_batch(batch, agents=ROBOTS)).to_pylist()
        found = {row["agent"]: row["fetch"] == "allow" for row in rows}
        assert found == {robot: robot not in question["disallowed"] for robot in ROBOTS}, question["name"]
