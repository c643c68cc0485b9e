"""The answers of the package equal those of the program `robots`, on the fixtures of the project.

`.ci/python` builds the program. Without it, these tests are skipped.
"""

import gzip
import json
import os
import re
import subprocess
from datetime import datetime
from pathlib import Path

import pytest

from robots_policy import Agent, Dialect, Policy, RobotsTxt, lint

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests" / "fixtures"
PROGRAM = Path(os.environ.get("ROBOTS_PROGRAM", ROOT / "target" / "debug" / "robots"))
FILES = sorted([*FIXTURES.glob("sites/*/robots.txt"), *FIXTURES.glob("robots/*robots.txt")])

pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason=f"the program is not built: {PROGRAM}")


def objects(*arguments):
    """Runs the program, and returns the JSON objects that it writes. Exit code 1 means that something is disallowed."""
    run = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert run.returncode in (0, 1), run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(FIXTURES)))
def test_verdicts(file):
    robots = RobotsTxt(file.read_bytes())
    paths = {word.rstrip("*$") for word in re.findall(r"/[A-Za-z0-9/._*$-]*", file.read_text("utf-8", "replace"))}
    urls = [f"https://example.com{path}" for path in sorted({path for path in paths if not path.startswith("//")})]
    agents = ["*", "Googlebot", "Applebot", "Suzy-Spider", "Google-Extended"]
    options = [option for agent in agents for option in ("--agent", agent)]
    rows = objects("check", "--json", "--all-dialects", *options, file, *urls)
    assert len(rows) == len(urls) * len(agents) * len(Dialect)
    for row in rows:
        verdict = robots.rules(Agent.known(row["agent"]), row["dialect"]).verdict(row["url"])
        rule = verdict.rule
        expected = [row[key] for key in ("allowed", "reason", "line", "rule", "pattern", "group", "group_line")]
        of_rule = [rule.kind, rule.text, rule.agent, rule.agent_line] if rule else [None] * 4
        assert [verdict.allowed, verdict.reason, verdict.line, *of_rule] == expected, row


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(FIXTURES)))
def test_findings(file):
    rows = objects("lint", "--json", "--level", "note", file)
    findings = lint(file.read_bytes())
    keys = ["code", "name", "severity", "line", "column", "offset", "length", "message", "help", "standard"]
    keys += ["header", "related_line", "findings_of_kind"]
    assert [[getattr(found, key) for key in keys] for found in findings] == [[row[key] for key in keys] for row in rows]


def responses(archive):
    """Returns URL, time, status, header lines and body of each response in a WARC file with lengths."""
    data = gzip.decompress(archive.read_bytes())
    while data:
        head, _, data = data.partition(b"\r\n\r\n")
        fields = dict(re.findall(rb"(?m)^([\w-]+): <?(.*?)>?\r?$", head))
        length = int(fields[b"Content-Length"])
        block, data = data[:length], data[length:].lstrip(b"\r\n")
        if fields[b"WARC-Type"] != b"response":
            continue
        http, _, body = block.partition(b"\r\n\r\n")
        status, *lines = http.split(b"\r\n")
        headers = [tuple(line.split(b": ", 1)) for line in lines]
        time = datetime.fromisoformat(fields[b"WARC-Date"].decode().replace("Z", "+00:00"))
        yield fields[b"WARC-Target-URI"].decode(), time, int(status.split()[1]), headers, body


@pytest.mark.parametrize("profile", ["neutral", "google", "bing", "yandex"])
def test_decisions(profile):
    archive = FIXTURES / "crawl.warc.gz"
    rows = {row["url"]: row for row in objects("decide", "--json", "--profile", profile, archive)}
    captured = list(responses(archive))
    agent = next(iter(rows.values()))["agent"]
    policy = Policy(agent, profile)
    for url, _, status, headers, body in captured:
        if url.endswith("/robots.txt"):
            content_type = dict(headers).get(b"Content-Type", b"").decode()
            policy.learn(url, body, status=status, content_type=content_type)
    compared = 0
    for url, time, status, headers, body in captured:
        if url in rows:
            decision = policy.decide(url, body, status=status, headers=headers, at=time)
            # The place of the page in the archive is not part of a decision.
            row = {key: value for key, value in rows[url].items() if key not in ("file", "offset", "status")}
            assert decision.to_dict() == row, url
            compared += 1
    assert compared == len(rows) > 20
