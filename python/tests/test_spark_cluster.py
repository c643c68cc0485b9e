"""Decisions on a standalone cluster of Spark, whose processes are killed. Takes a minute."""

import gzip
import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

pyspark = pytest.importorskip("pyspark")

from pyarrow import parquet
from pyspark.sql import SparkSession
from spark_archives import index_of, split
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


def delay(seconds=0.1, marker=None):
    """Returns a function that passes batches on after some seconds, and makes a file first. Executors do not have this module."""

    def slowly(batches):
        for batch in batches:
            if marker is not None:
                open(marker, "a").close()
            time.sleep(seconds)
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
    for join, partitions in [*(("broadcast", number) for number in range(1, 9)), ("shuffle", 1), ("shuffle", 3), ("shuffle", 8)]:
        decisions = spark.decide(
            session, archives[0], table, agents=AGENTS, profiles=PROFILES, at=AT, explain=True, partitions=partitions, join=join
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


def test_an_executor_that_is_killed_after_a_shuffle_changes_no_row(session, cluster, archives, expected, tmp_path):
    table = spark.write_robots(session, archives[1], str(tmp_path / "robots.parquet"))
    arguments = {"agents": AGENTS, "profiles": PROFILES, "at": AT, "explain": True, "partitions": 6, "join": "shuffle"}
    decisions = spark.decide(session, archives[0], table, **arguments)
    marker = tmp_path / "decided"
    decided = in_background(lambda: of_frame(decisions.mapInArrow(delay(1, str(marker)), decisions.schema)))
    # The pages are read and shuffled: the second stage has begun.
    deadline = time.monotonic() + 120
    while not marker.exists():
        assert time.monotonic() < deadline, "no page was decided"
        time.sleep(0.05)
    executors = cluster.executors()
    assert len(executors) == 2
    # The facts in its files are lost, too.
    kill(next(iter(executors)))
    assert decided() == expected


def test_the_recipe_for_common_crawl(cluster, tmp_path):
    """The commands of docs/scale.md, on archives, lists and an index in the layout of Common Crawl."""
    crawl = "crawl-data/CC-MAIN-2026-43"
    listed = {}
    for kind, paths in zip(("warc", "robotstxt"), split(FIXTURES / "crawl.warc.gz", tmp_path / "archives", pages=4, robots=2), strict=True):
        names = [f"{crawl}/segments/{number % 2}/{kind}/CC-MAIN-{number:05}.warc.gz" for number in range(len(paths))]
        for path, name in zip(paths, names, strict=True):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.move(path, tmp_path / name)
        (tmp_path / f"{kind}.paths.gz").write_bytes(gzip.compress("\n".join(names).encode()))
        listed[kind] = [str(tmp_path / name) for name in names]
    base = f"{tmp_path}/"
    index = tmp_path / "cc-index" / "crawl=CC-MAIN-2026-43" / "subset=warc"
    index.mkdir(parents=True)
    parquet.write_table(index_of(listed["warc"], base), index / "part-00000.parquet")
    package = Path(robots_policy.__file__).parent
    shipped = packed(package, tmp_path / "pylib.tar.gz")
    expected = {dict(row)["url"]: dict(row)["fetch"] for row in of_program(listed["warc"], listed["robotstxt"], ["GPTBot"], ["neutral"])}

    text = (FIXTURES.parents[1] / "docs" / "scale.md").read_text("utf-8")
    submit = [command for block in re.findall(r"```sh\n(.*?)```", text, re.S) for command in re.findall(r"^spark-submit (?:.*\\\n)*.*", block, re.M)]
    assert len(submit) == 1, "a crawl"
    # A subset, as the text after it says.
    submit.append(submit[0].replace("--pages warc.paths.gz", "--index INDEX --where WHERE"))
    assert "--index INDEX" in submit[1]
    environment = {**os.environ, "PYTHONPATH": str(package.parent), "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    for number, command in enumerate(submit):
        words = shlex.split(command.replace("\\\n", " "))[1:]
        values = {
            "pylib.tar.gz#pylib": f"{shipped}#pylib",
            "spark.pyspark.python=/usr/bin/python3": f"spark.pyspark.python={sys.executable}",
            "spark_decisions.py": str(Path(__file__).parents[1] / "examples" / "spark_decisions.py"),
            "robotstxt.paths.gz": str(tmp_path / "robotstxt.paths.gz"),
            "warc.paths.gz": str(tmp_path / "warc.paths.gz"),
            "s3://commoncrawl/": base,
            "INDEX": str(index),
            "WHERE": "url like '%/c%' and fetch_status = 200",
            "DECISIONS": str(tmp_path / f"decisions{number}"),
        }
        words = [values.get(word, word) for word in words]
        options = ["--master", cluster.url, "--executor-memory", "512m", "--conf", "spark.ui.enabled=false", "--conf", "spark.driver.host=127.0.0.1"]
        run = [Path(pyspark.__file__).parent / "bin" / "spark-submit", *options, *words]
        subprocess.run(run, check=True, capture_output=True, timeout=300, env=environment, cwd=tmp_path)
        rows = parquet.read_table(tmp_path / f"decisions{number}" / "decisions.parquet").to_pylist()
        assert [row["error"] for row in rows if row["error"]] == []
        found = {row["url"]: row["fetch"] for row in rows if row["status"] == 200 or number == 0}
        assert found == {url: fetch for url, fetch in expected.items() if number == 0 or url in found}
        assert len(found) == len(expected) if number == 0 else 1 < len(found) < len(expected)
