"""Decisions on Spark by a shuffle: the rows of the program and of a broadcast."""

import os
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyspark")

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet
from pyspark.sql import SparkSession
from spark_archives import index_of, split, warc
from spark_rows import AT, of_frame, of_program
from test_program import FIXTURES, PROGRAM

from robots_policy import ArchiveError, InputError, LoadError, spark
from robots_policy._by_origin import PAGE, SORTED, PageOptions, page_rows, sorted_decisions
from robots_policy._extents import Extent
from robots_policy._spark_pages import pages_of
from robots_policy._spark_shuffle import large_origins
from robots_policy._tasks import decision_schema

CRAWL = FIXTURES / "crawl.warc.gz"
CORPUS = Path(os.environ.get("ROBOTS_CORPUS", FIXTURES.parents[2] / "shared")) / "corpus" / "crawl.warc.gz"
AGENTS = ["Googlebot", "GPTBot"]
HTML = "Content-Type: text/html"
needs_program = pytest.mark.skipif(not PROGRAM.exists(), reason=f"the program is not built: {PROGRAM}")


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "4")
    builder = builder.config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
    session = builder.config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1").getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    return split(CRAWL, tmp_path_factory.mktemp("crawl") / "archives")


@pytest.fixture(scope="module")
def table(session, archives, tmp_path_factory):
    return spark.write_robots(session, archives[1], str(tmp_path_factory.mktemp("table") / "robots.parquet"))


@needs_program
@pytest.mark.parametrize("profiles", [["neutral"], ["google", "yandex"]])
def test_every_column_of_every_row_is_that_of_the_program(session, archives, table, profiles):
    pages, robots = archives
    expected = of_program(pages, robots, AGENTS, profiles)
    assert len(expected) > 40
    for partitions in (None, *range(1, 9)):
        decisions = spark.decide(
            session, pages, table, agents=AGENTS, profiles=profiles, at=AT, explain=True, partitions=partitions, join="shuffle"
        )
        assert of_frame(decisions) == expected
        if partitions is not None:
            assert decisions.rdd.getNumPartitions() == partitions


@needs_program
@pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not there")
def test_a_crawl_of_the_web_has_the_rows_of_the_program(session, tmp_path):
    pages, robots = split(CORPUS, tmp_path / "archives")
    table = spark.write_robots(session, robots, str(tmp_path / "robots.parquet"))
    expected = of_program(pages, robots, AGENTS, ["google"])
    assert len(expected) > 3_000
    decisions = spark.decide(session, pages, table, agents=AGENTS, profiles="google", at=AT, explain=True, join="shuffle")
    assert of_frame(decisions) == expected


def redirecting():
    """Returns the responses of archives whose robots.txt files redirect to each other, and those of their pages."""
    url = lambda host: f"http://{host}.example/robots.txt"
    to = lambda target: f"Location: {target}"
    closed = "User-agent: *\nDisallow: /"
    robots = [[], [], []]
    for host, end in (("h", closed), ("n", None)):
        for hop in range(8):
            robots[hop % 3].append((url(f"{host}{hop}"), 1, 301, to(url(f"{host}{hop + 1}")), ""))
        if end is not None:
            robots[0].append((url(f"{host}8"), 1, 200, "", end))
    robots[0] += [(url("a"), 1, 302, to(url("b")), ""), (url("b"), 1, 302, to(url("a")), ""), (url("self"), 1, 302, to(url("self")), "")]
    robots[1] += [(url("t"), 1, 302, to(url("h8")), ""), (url("t"), 3, 302, to("/rules?a"), ""), (url("t"), 5, 302, to(url("u")), "")]
    robots[2] += [("http://t.example/rules?a", 2, 302, to(url("u")), ""), (url("u"), 4, 503, "", "")]
    # The later of two captures of one second counts.
    robots[1].append((url("u"), 1, 200, "", closed))
    robots[2].append((url("u"), 1, 200, "", "User-agent: *\nDisallow: /x"))
    hosts = [f"{name}{hop}" for name in "hn" for hop in range(9)] + ["a", "b", "self", "t", "u", "none"]
    pages = [[(f"http://{host}.example/{path}", day, 200, HTML, "<p>") for host in hosts for path in "xy"] for day in range(1, 7)]
    return robots, pages


@needs_program
def test_redirects_are_followed_over_origins_and_archives(session, tmp_path):
    paths = {}
    for name, archives in zip(("robots", "pages"), redirecting(), strict=True):
        paths[name] = [str(tmp_path / f"{name}{number}.warc") for number in range(len(archives))]
        for path, responses in zip(paths[name], archives, strict=True):
            Path(path).write_bytes(warc(*responses))
    table = spark.write_robots(session, paths["robots"], str(tmp_path / "robots.parquet"))
    expected = of_program(paths["pages"], paths["robots"], AGENTS, ["google"])
    for join in ("broadcast", "shuffle"):
        decisions = spark.decide(session, paths["pages"], table, agents=AGENTS, profiles="google", at=AT, explain=True, partitions=3, join=join)
        assert of_frame(decisions) == expected
    assert {dict(row)["fetch"] for row in expected} >= {"allow", "disallow", "unknown"}


@needs_program
def test_a_large_origin_is_divided(session, tmp_path):
    robots, pages = str(tmp_path / "robots.warc"), [str(tmp_path / f"pages{number}.warc") for number in range(3)]
    rules = [
        ("http://large.example/robots.txt", 1, 302, "Location: http://other.example/robots.txt", ""),
        ("http://other.example/robots.txt", 1, 200, "", "User-agent: *\nDisallow: /*7"),
    ]
    Path(robots).write_bytes(warc(*rules))
    for number, path in enumerate(pages):
        large = [(f"http://large.example/{number}/{page}", 2, 200, HTML, "<p>") for page in range(200)]
        small = [(f"http://small{page}.example/{number}", 2, 200, HTML, "<p>") for page in range(20)]
        Path(path).write_bytes(warc(*large, *small, ("urn:page", 2, 200, HTML, "<p>")))
    table = spark.write_robots(session, robots, str(tmp_path / "robots.parquet"))
    source = pages_of(session, pages, 4, None, "")
    salts = large_origins(source, PageOptions("GPTBot", None), 4)
    assert salts == {"http://large.example/robots.txt": 4}
    found = source.map(page_rows, PageOptions("GPTBot", None, salts), SORTED).where("key like '%large%'")
    assert found.select("salt").distinct().count() == 4
    expected = of_program(pages, [robots], ["GPTBot"], [])
    assert len(expected) == 3 * 221
    for partitions in (1, 4, 8):
        decisions = spark.decide(session, pages, table, agents="GPTBot", at=AT, explain=True, partitions=partitions, join="shuffle").persist()
        assert of_frame(decisions.where("error is null")) == expected
        # The page without an origin.
        assert decisions.where("error is not null").count() == 3


def test_records_of_an_index(session, archives, table, tmp_path):
    base = archives[0][0].rsplit("/", 1)[0] + "/"
    parquet.write_table(index_of(archives[0], base), tmp_path / "index.parquet")
    index = session.read.parquet(str(tmp_path / "index.parquet")).where("fetch_status = 200 and url like '%/c%'")
    rows = []
    for join in ("broadcast", "shuffle"):
        decisions = spark.decide(session, index, table, agents=AGENTS, profiles="google", at=AT, explain=True, base=base, join=join)
        rows.append(of_frame(decisions))
    assert rows[0] == rows[1] and len(rows[0]) > 4


def test_the_join_is_chosen_by_the_memory_of_captures(session, archives, table, monkeypatch):
    def is_sorted(join):
        plan = spark.decide(session, archives[0], table, at=AT, join=join)._jdf.queryExecution().toString()
        return "salt" in plan

    assert not is_sorted("auto") and not is_sorted("broadcast") and is_sorted("shuffle")
    monkeypatch.setattr(spark, "BROADCAST_BYTES", 1_000)
    assert is_sorted("auto") and not is_sorted("broadcast")


def test_faults_are_rows(session, archives, table, tmp_path):
    pages = archives[0]
    cut = tmp_path / "cut.warc.gz"
    data = Path(pages[0]).read_bytes()
    cut.write_bytes(data[: len(data) * 6 // 10])
    text = tmp_path / "text.warc.gz"
    text.write_bytes(b"<title>A page</title>")
    inputs = [*pages[1:], str(cut), str(text), str(tmp_path / "missing.warc.gz"), "nothing://a/b.warc.gz"]
    frames = [spark.decide(session, inputs, table, at=AT, explain=True, join=join).toArrow().to_pylist() for join in ("broadcast", "shuffle")]
    rows = [sorted(str(row) for row in frame) for frame in frames]
    assert rows[0] == rows[1]
    assert {row["file"] for row in frames[1] if row["error"]} == set(inputs[-4:])


def test_arguments(session, archives, table):
    decide = lambda **arguments: spark.decide(session, archives[0], table, join="shuffle", **arguments)
    decisions = decide(fields=["url", "fetch"], agents=iter(AGENTS), profiles=iter(["google", "bing"]))
    assert decisions.columns == ["url", "fetch", "error"] and decisions.count() > 8
    assert spark.decide(session, [], table, join="shuffle").count() == 0
    with pytest.raises(InputError, match="unexpected join 'sort'"):
        spark.decide(session, archives[0], table, join="sort")
    with pytest.raises(Exception, match="no-profile"):
        decide(profiles="no-profile")
    missing = spark.robots(session, [*archives[1], "/missing.warc"])
    with pytest.raises(ArchiveError, match="1 archives of robots.txt files could not be read, such as .*missing.warc"):
        spark.decide(session, archives[0], missing, join="shuffle")


def test_damaged_facts_and_rows_that_are_not_sorted_are_errors(archives):
    options = PageOptions(AGENTS, "google")
    (batch,) = page_rows(Extent(archives[0][0]), options)
    schema = decision_schema(False, None)
    batch = batch.take(pc.sort_indices(batch, [("key", "ascending"), ("row", "ascending")]))
    decide = lambda rows, options: sum(map(len, sorted_decisions(iter([rows]), options, AT, schema)))
    assert decide(batch, options) == len(batch) * 2 > 2
    assert batch.column("kind").unique().to_pylist() == [PAGE]
    with pytest.raises(LoadError, match="not sorted"):
        decide(batch.take(list(range(len(batch)))[::-1]), options)
    with pytest.raises(LoadError, match="of other robots or profiles"):
        decide(batch, PageOptions(AGENTS, "bing"))
    facts = [bytes(value[:-1]) for value in batch.column("facts").to_pylist()]
    damaged = batch.set_column(batch.schema.get_field_index("facts"), "facts", pa.array(facts, pa.binary()))
    with pytest.raises(LoadError, match="damaged"):
        decide(damaged, options)
