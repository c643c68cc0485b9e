"""Every answer about the pages of an archive is the same, whoever is asked: the program, the functions of Python that read
archives, those for Arrow batches, and the library, page by page.

`.ci/python` builds the program. Without it, these tests are skipped.
"""

import csv
import json
import subprocess
import time
import warnings
from urllib.parse import urlsplit

import pytest
from spark_rows import as_text, unguarded
from test_archive import archives
from test_batch import AT
from test_program import PROGRAM

from robots_policy import ArchiveWarning, Policy, captures, decide_stream, decide_warc, decide_warc_batches, iter_decisions, records

# It needs CPython 3.11.
pa = pytest.importorskip("pyarrow")

AGENTS = ["Googlebot", "GPTBot"]
PLACE = ("file", "offset")

pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason=f"the program is not built: {PROGRAM}")


def of_the_program(archive, profile, *options):
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(AT))
    command = [PROGRAM, "decide", "--explain", "--profile", profile, "--now", now, *options]
    command += [option for agent in AGENTS for option in ("--agent", agent)]
    run = subprocess.run([*command, archive], capture_output=True, text=True, check=True)
    return run.stdout.splitlines(keepends=True)


def without_place(row):
    return {name: value for name, value in row.items() if name not in (*PLACE, "status")}


def site(url):
    """Returns the scheme, host and port of a URL."""
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}[parts.scheme]


@pytest.mark.parametrize("archive", archives(), ids=lambda path: path.parent.name)
@pytest.mark.parametrize("profile", ["neutral", "google", "bing", "yandex"])
def test_every_answer_is_the_same(archive, profile):
    robots = {"agents": AGENTS, "profiles": profile}
    expected = [json.loads(line) for line in of_the_program(archive, profile, "--json")]
    cells = list(csv.DictReader(of_the_program(archive, profile, "--format", "csv")))
    assert len(expected) == len(cells) > 40
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ArchiveWarning)
        book = captures(archive, **robots).freeze()
        assert [page.to_dict() for page in iter_decisions(archive, at=AT, **robots)] == expected
        assert [page.to_dict() for page in decide_warc(archive, book, at=AT)] == expected
        table = pa.Table.from_batches(map(pa.record_batch, decide_warc_batches(archive, book, explain=True, at=AT)))
        responses = table_of(records(archive, types="response"))
    columns = table.to_pylist()
    assert len(columns) == len(cells)
    for row, other in zip(columns, cells, strict=True):
        assert {name: as_text(value) for name, value in row.items()} == {name: unguarded(text) for name, text in other.items()}

    # The library, asked about each page: by a book, and by a policy that has learned the files of the book.
    at_offset = {response["offset"]: response for response in responses}
    pages = [at_offset[row["offset"]] for row in expected[:: len(AGENTS)]]
    files = [response for response in responses if urlsplit(response["target_uri"]).path == "/robots.txt"]
    policies = [Policy(agent, profile) for agent in AGENTS]
    for file in files:
        for policy in policies:
            policy.learn(file["target_uri"], file["payload"], status=file["status"], content_type=content_type(file))
    for page, first in zip(pages, range(0, len(expected), len(AGENTS)), strict=True):
        rows = [without_place(row) for row in expected[first : first + len(AGENTS)]]
        arguments = {"status": page["status"], "headers": [(line["name"], line["value"]) for line in page["headers"]], "at": AT}
        url, html = page["target_uri"], page["payload"]
        decisions = book.decide(url, html, captured_at=page["date"], **arguments)
        assert [decision.to_dict() for decision in decisions] == rows
        assert [policy.decide(url, html, **arguments).to_dict() for policy in policies] == rows

    # The rows of an Arrow batch, each with the robots.txt of its site.
    sites = {site(file["target_uri"]): file for file in files}
    known = [sites.get(site(page["target_uri"]), {}) for page in pages]
    pair = pa.struct([("name", pa.binary()), ("value", pa.binary())])
    batch = pa.table(
        {
            "url": [page["target_uri"] for page in pages],
            "fetched_at": [page["date"] for page in pages],
            "status": [page["status"] for page in pages],
            "headers": pa.array([page["headers"] for page in pages], pa.list_(pair)),
            "html": pa.array([page["payload"] for page in pages], pa.large_binary()),
            "robots_txt": pa.array([robots.get("payload") for robots in known], pa.binary()),
            "robots_status": pa.array([robots.get("status") for robots in known], pa.int32()),
            "robots_content_type": [content_type(robots) for robots in known],
            "robots_fetched_at": pa.array([robots.get("date") for robots in known], pa.timestamp("us", "UTC")),
        }
    )
    decided = pa.table(decide_stream(batch, explain=True, at=AT, **robots)).drop_columns(["row", "error"]).to_pylist()
    for row, other in zip(decided, columns, strict=True):
        assert row == {name: value for name, value in other.items() if name not in PLACE}


def table_of(stream):
    return pa.table(stream).to_pylist()


def content_type(response):
    values = [line["value"] for line in response.get("headers") or () if line["name"].lower() == "content-type"]
    return values[0] if values else None
