"""A crawl on Spark has the rows of the program, with each join. `.ci/spark quick` runs the small one."""

import os
from pathlib import Path

import pytest

pytest.importorskip("pyspark")

from spark_archives import split
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
