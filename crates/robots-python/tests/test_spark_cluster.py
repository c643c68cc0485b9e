"""Decisions on a standalone cluster of Spark, whose processes are killed. Takes a minute."""

import os
import shutil
import sys
import threading
import time
from pathlib import Path

import pytest

pytest.importorskip("pyspark")

from pyspark.sql import SparkSession
from spark_archives import split
from spark_cluster import Cluster, kill, packed
from spark_rows import AT, of_frame, of_program
from test_program import FIXTURES, PROGRAM

import robots_policy
from robots_policy import spark

AGENTS = ["Googlebot", "GPTBot"]
PROFILES = ["google", "neutral"]
PAGES = 23

pytestmark = [
    pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java"),
    pytest.mark.skipif(not PROGRAM.exists(), reason=f"the program is not built: {PROGRAM}"),
]


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    return split(FIXTURES / "crawl.warc.gz", tmp_path_factory.mktemp("crawl") / "archives", pages=PAGES)


@pytest.fixture(scope="module")
def expected(archives):
    rows = of_program(*archives, AGENTS, PROFILES)
    assert len(rows) > 80
    return rows


@pytest.fixture
def cluster(tmp_path):
    cluster = Cluster(tmp_path)
    yield cluster
    cluster.stop()


@pytest.fixture
def session(cluster, tmp_path):
    package = packed(Path(robots_policy.__file__).parent, tmp_path / "pylib.tar.gz")
    options = {
        "spark.archives": f"{package}#pylib",
        # Relative to the folder of an executor, where the archive is unpacked.
        "spark.executorEnv.PYTHONPATH": "pylib",
        "spark.executor.memory": "512m",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.speculation": "true",
        "spark.sql.warehouse.dir": str(tmp_path / "warehouse"),
    }
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(cluster.url)
    for name, value in options.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


def delay():
    """Returns a function that passes batches on, a tenth of a second later. Executors do not have this module."""

    def slowly(batches):
        for batch in batches:
            time.sleep(0.1)
            yield batch

    return slowly


def in_background(work):
    """Starts work, and returns a function that waits for its result."""
    results = []
    thread = threading.Thread(target=lambda: results.append(work()))
    thread.start()

    def result():
        thread.join(300)
        assert results, "the job has failed, or has not ended"
        return results[0]

    return result


def test_a_cluster_has_the_rows_of_the_program(session, archives, expected, tmp_path):
    where = session.range(1).rdd.map(lambda _: __import__("robots_policy").__file__).first()
    assert "/pylib/robots_policy/" in where, "executors use the archive that was shipped"
    table = spark.write_robots(session, archives[1], str(tmp_path / "robots.parquet"))
    for partitions in range(1, 9):
        decisions = spark.decide(
            session, archives[0], table, agents=AGENTS, profiles=PROFILES, at=AT, explain=True, partitions=partitions
        )
        assert of_frame(decisions) == expected


@pytest.mark.parametrize("victim", ["executor", "worker"])
def test_processes_that_are_killed_change_no_row(session, cluster, archives, expected, tmp_path, victim):
    def strike():
        executors = cluster.executors()
        assert len(executors) == 2
        if victim == "worker":
            cluster.kill(next(iter(executors.values())))
        else:
            kill(next(iter(executors)))

    table = spark.robots(session, archives[1])
    # The first stage.
    table = table.mapInArrow(delay(), table.schema)
    written = in_background(lambda: table.write.parquet(str(tmp_path / "robots.parquet")))
    time.sleep(2)
    if victim == "executor":
        strike()
    written()
    table = session.read.parquet(str(tmp_path / "robots.parquet"))
    assert table.count() == spark.robots(session, archives[1]).count()
    decisions = spark.decide(session, archives[0], table, agents=AGENTS, profiles=PROFILES, at=AT, explain=True)
    decided = in_background(lambda: of_frame(decisions.mapInArrow(delay(), decisions.schema)))
    time.sleep(1)
    strike()
    assert decided() == expected
