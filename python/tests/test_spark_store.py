"""Archives in an object store: moto's server of S3, on loopback."""

import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

pytest.importorskip("pyspark")
pytest.importorskip("moto")
s3fs = pytest.importorskip("s3fs")

from spark_archives import index_of, split
from spark_rows import AT
from spark_sessions import fresh
from test_program import FIXTURES
from test_spark_records import collected, rows_of

from robots_policy import spark

PREFIX = "crawl-data/CC-MAIN-2026-43/"


@pytest.fixture(scope="module")
def store():
    """Starts a server. Returns its URL."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(url, timeout=1).close()
                break
            except OSError:
                assert process.poll() is None, "the server has ended"
                time.sleep(0.1)
        yield url
    finally:
        process.terminate()
        process.wait()


@pytest.fixture(scope="module")
def session(store, tmp_path_factory):
    # The configuration of fsspec and of the client, for the driver and its workers.
    environment = {"FSSPEC_S3_ENDPOINT_URL": store, "AWS_DEFAULT_REGION": "us-east-1"}
    environment |= {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}
    session = fresh(tmp_path_factory.mktemp("warehouse"), environment=environment)
    from fsspec.config import conf, set_conf_env

    set_conf_env(conf)
    spark.register(session)
    yield session
    session.stop()


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    return split(FIXTURES / "crawl.warc.gz", tmp_path_factory.mktemp("crawl") / "archives", pages=3, robots=2)


def test_archives_in_an_object_store(session, archives):
    files = s3fs.S3FileSystem()
    files.mkdir("commoncrawl")
    for path in sum(archives, []):
        files.put_file(path, f"commoncrawl/{PREFIX}{Path(path).name}")
    base = "s3://commoncrawl/"
    pages, robots = ([f"{PREFIX}{Path(path).name}" for path in paths] for paths in archives)
    own = {f"{base}{name}": path for name, path in zip(pages, archives[0], strict=True)}

    def with_own_paths(rows):
        return [{**row, "file": own[row["file"]]} for row in rows]

    frame = session.read.format("warc").option("base", base).option("partBytes", 4_000).load(pages)
    assert with_own_paths(collected(frame)) == rows_of(archives[0])
    found = session.read.format("warc").load(f"{base}{PREFIX}pages-*.warc.gz")
    assert found.count() == frame.count()
    # The same decisions, from archives, parts and an index of all pages.
    table = spark.robots(session, [base + name for name in robots]).persist()
    options = {"agents": ["GPTBot"], "profiles": "google", "at": AT}
    local = spark.decide(session, archives[0], spark.robots(session, archives[1]), **options)
    expected = collected(local.where("error is null"))
    assert len(expected) > 20
    for part_bytes in (None, 4_000):
        decisions = spark.decide(session, pages, table, base=base, part_bytes=part_bytes, **options)
        assert with_own_paths(collected(decisions)) == expected
    folder = str(Path(archives[0][0]).parent) + "/"
    listing = index_of(archives[0], folder).to_pandas()
    listing["warc_filename"] = PREFIX + listing["warc_filename"]
    index = session.createDataFrame(listing).where("content_mime_type = 'text/html'")
    decisions = spark.decide(session, index, table, base=base, **options)
    assert with_own_paths(collected(decisions)) == expected
    missing = spark.records(session, [f"{PREFIX}missing.warc.gz"], base=base).collect()
    assert [row.file for row in missing if row.error] == [f"{base}{PREFIX}missing.warc.gz"]
