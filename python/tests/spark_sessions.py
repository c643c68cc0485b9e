"""Sessions of Spark in one process, and the fixtures that tests share."""

import os
import sys

import pytest
from pyspark import SparkContext
from pyspark.sql import SparkSession
from spark_archives import split
from test_program import FIXTURES

from robots_policy import spark


def started(folder, master="local[2]", **options):
    """Starts a session."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    options = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.warehouse.dir": str(folder),
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        **options,
    }
    builder = SparkSession.builder.master(master)
    for name, value in options.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def fresh(folder, master="local[2]", environment=None, **options):
    """Starts a session in a JVM of its own, whose Python processes have these variables in their environment."""
    if SparkContext._gateway is not None:
        SparkContext._gateway.shutdown()
        SparkContext._gateway = SparkContext._jvm = None
    os.environ |= environment or {}
    return started(folder, master, **options)


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    # A JVM keeps the options of its first session, such as a limit of memory.
    session = fresh(tmp_path_factory.mktemp("warehouse"))
    spark.register(session)
    yield session
    session.stop()


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    return split(FIXTURES / "crawl.warc.gz", tmp_path_factory.mktemp("crawl") / "archives")


@pytest.fixture(scope="module")
def table(session, archives, tmp_path_factory):
    return spark.write_robots(session, archives[1], str(tmp_path_factory.mktemp("table") / "robots.parquet"))
