"""A crawl on Spark has the rows of the program, with each join. `.ci/spark quick` runs the small one."""

import csv
import os
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("pyspark")

from spark_archives import split, warc
from spark_rows import AT, of_frame, of_program
from spark_sessions import archives, session, table  # fixtures
from test_program import FIXTURES, PROGRAM

from robots_policy import spark

CORPUS = Path(os.environ.get("ROBOTS_CORPUS", FIXTURES.parents[2] / "shared")) / "corpus" / "crawl.warc.gz"
AGENTS = ["Googlebot", "GPTBot"]
JOINS = ["broadcast", "shuffle"]

pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason=f"the program is not built: {PROGRAM}")


def test_a_small_crawl(session, archives, table, tmp_path):
    pages, robots = archives
    profiles = ["google", "neutral"]
    expected = of_program(pages, robots, AGENTS, profiles)
    assert len(expected) > 80
    for join in JOINS:
        decisions = spark.decide(session, pages, table, agents=AGENTS, profiles=profiles, at=AT, explain=True, join=join)
        assert of_frame(decisions) == expected
    # A missing archive is a row, and changes no other.
    missing = str(tmp_path / "missing.warc.gz")
    decisions = spark.decide(session, [*pages, missing], table, agents=AGENTS, profiles=profiles, at=AT, explain=True, join="shuffle").persist()
    assert [row.file for row in decisions.where("error is not null").collect()] == [missing]
    assert of_frame(decisions.where("error is null")) == expected
    assert session.read.format("warc").load(pages).where("status = 200").count() > 20


def test_a_small_crawl_with_evidence(session, archives, table, tmp_path):
    pages, robots = archives
    expected = of_program(pages, robots, AGENTS, ["neutral"], "--evidence")
    assert len(expected) > 40 and dict(expected[0])["robots_digest"].startswith("sha256:")
    for join in JOINS:
        decisions = spark.decide(session, pages, table, agents=AGENTS, profiles="neutral", at=AT, evidence=True, join=join)
        assert of_frame(decisions) == expected, join
    # A field of it is enough.
    some = spark.decide(session, pages, table, agents=AGENTS, at=AT, fields=["url", "robots_digest"], join="shuffle")
    assert some.where("robots_digest is not null").count() == len(expected)
    # The program verifies the rows of Spark.
    rows = [dict(row) for row in of_frame(decisions)]
    with (tmp_path / "decisions.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    given = [argument for path in robots for argument in ("--robots", path)]
    run = subprocess.run([PROGRAM, "verify", file.name, *given, *pages], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith(f"{len(expected)} decisions: {len(expected)} equal")


def test_terms_of_a_small_crawl(session, tmp_path):
    """A licence in another archive than the robots.txt that names it, which a redirect leads to, and a tdmrep.json."""
    terms = '<rsl><content url="/"><license><prohibits type="usage">ai-train</prohibits></license></content></rsl>'
    site = lambda host, path: f"http://{host}.example{path}"
    robots = [
        [
            (site("a", "/robots.txt"), 1, 301, f"Location: {site('b', '/robots.txt')}", ""),
            (site("b", "/robots.txt"), 1, 200, "", f"LICENSE: {site('l', '/moved')}\nUser-agent: *"),
        ],
        [
            (site("l", "/moved"), 1, 301, "Location: /license.xml", ""),
            (site("l", "/license.xml"), 1, 200, "Content-Type: text/xml", terms),
            (site("c", "/.well-known/tdmrep.json"), 1, 200, "Content-Type: application/json", '[{"location": "/", "tdm-reservation": 1}]'),
        ],
    ]
    pages = [[(site(host, "/x"), 2, 200, "Content-Type: text/html", "<p>") for host in "abcd"]]
    paths = []
    for name, archives in (("robots", robots), ("pages", pages)):
        paths.append([str(tmp_path / f"{name}{number}.warc") for number in range(len(archives))])
        for path, responses in zip(paths[-1], archives, strict=True):
            Path(path).write_bytes(warc(*responses))
    table = spark.write_robots(session, paths[0], str(tmp_path / "robots.parquet"))
    expected = of_program(paths[1], paths[0], ["GPTBot"], [], "--evidence")
    assert [dict(row)["may_train"] for row in expected] == ["no", "no", "no", "unknown"]
    for join in JOINS:
        decisions = spark.decide(session, paths[1], table, agents="GPTBot", at=AT, evidence=True, join=join)
        assert of_frame(decisions) == expected, join
    # A table without the columns of evidence decides, too.
    plain = spark.decide(session, paths[1], table.drop("offset", "digest"), agents="GPTBot", at=AT, fields=["url", "may_train"])
    assert {row.may_train for row in plain.collect()} == {"no", "unknown"}


@pytest.mark.parametrize("join", JOINS)
@pytest.mark.parametrize("profiles", [["neutral"], ["google", "yandex"]])
def test_every_column_of_every_row_with_any_number_of_tasks(session, archives, table, profiles, join):
    pages, robots = archives
    expected = of_program(pages, robots, AGENTS, profiles)
    for partitions in (None, *range(1, 9)):
        decisions = spark.decide(session, pages, table, agents=AGENTS, profiles=profiles, at=AT, explain=True, partitions=partitions, join=join)
        assert of_frame(decisions) == expected
        if partitions is not None or join == "broadcast":
            assert decisions.rdd.getNumPartitions() == (partitions or len(pages))


@pytest.mark.parametrize("join", JOINS)
@pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not there")
def test_a_crawl_of_the_web(session, tmp_path, join):
    pages, robots = split(CORPUS, tmp_path / "archives")
    table = spark.write_robots(session, robots, str(tmp_path / "robots.parquet"))
    expected = of_program(pages, robots, AGENTS, ["google"])
    assert len(expected) > 3_000
    decisions = spark.decide(session, pages, table, agents=AGENTS, profiles="google", at=AT, explain=True, join=join)
    assert of_frame(decisions.where("error is null")) == expected
