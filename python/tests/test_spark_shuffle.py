"""Decisions on Spark by a shuffle: the rows of the program and of a broadcast."""

import os
import re
from pathlib import Path

import pytest

pytest.importorskip("pyspark")

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet
from spark_archives import index_of, warc
from spark_rows import AT, of_frame, of_program
from spark_sessions import archives, session, table  # fixtures
from test_program import PROGRAM

from robots_policy import ArchiveError, InputError, LoadError, spark
from robots_policy._by_origin import PAGE, SORTED, PageOptions, page_rows, sorted_decisions
from robots_policy._extents import Extent
from robots_policy._spark_pages import pages_of
from robots_policy._spark_shuffle import captures_by_key, large_origins, shuffle_partitions
from robots_policy._tasks import decision_schema

AGENTS = ["Googlebot", "GPTBot"]
HTML = "Content-Type: text/html"
needs_program = pytest.mark.skipif(not PROGRAM.exists(), reason=f"the program is not built: {PROGRAM}")


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


@needs_program
def test_captures_of_a_file_to_which_many_sites_redirect_do_not_multiply(session, tmp_path):
    """A crawl has a capture of the target for each redirect, with the same content most of the time."""
    hosts, hub = 30, "http://hub.example/robots.txt"
    # Two times at which the content changes, and one at which it changes back.
    content = lambda host: (503, "") if host == 20 else (200, "User-agent: *\nDisallow: /x" if 8 <= host < 25 else "User-agent: *\nDisallow: /y")
    responses, pages = [], []
    for host in range(hosts):
        name = f"http://h{host}.example"
        responses.append((f"{name}/robots.txt", host % 28 + 1, 301, f"Location: {hub}", ""))
        pages += [(f"{name}/{path}", day, 200, HTML, "<p>") for path in "xy" for day in (1, 12, 28)]
    responses += [(hub, host % 28 + 1, content(host)[0], "", content(host)[1]) for host in range(28)]
    robots, archive = tmp_path / "robots.warc", tmp_path / "pages.warc"
    robots.write_bytes(warc(*responses))
    archive.write_bytes(warc(*pages, *((f"http://hub.example/{path}", day, 200, HTML, "<p>") for path in "xy" for day in range(1, 29))))
    table = spark.write_robots(session, str(robots), str(tmp_path / "robots.parquet"))
    # Those of each robots.txt itself, and for each site the five contents of the hub in their order.
    assert captures_by_key(table, False).groupBy().count().first()[0] == hosts + 28 + hosts * 5
    expected = of_program([str(archive)], [str(robots)], AGENTS, ["google"])
    for join in ("broadcast", "shuffle"):
        decisions = spark.decide(session, str(archive), table, agents=AGENTS, profiles="google", at=AT, explain=True, join=join)
        assert of_frame(decisions) == expected
    assert {dict(row)["fetch"] for row in expected} >= {"allow", "disallow"}


@pytest.mark.parametrize("join", ["broadcast", "shuffle", "auto"])
def test_tables_of_captures_that_were_made_by_hand_are_checked(session, archives, table, join, monkeypatch):
    if join == "auto":
        monkeypatch.setattr(spark, "BROADCAST_BYTES", 0)
    decide = lambda robots: spark.decide(session, archives[0], robots, at=AT, fields=["url", "fetch"], join=join)
    with pytest.raises(InputError, match="the table of captures has no column 'outcome'"):
        decide(table.drop("outcome"))
    rows = table.collect()
    # Other types that can be cast, and another order.
    other = table.select("body", "target", "content_type", table.status.cast("int"), "outcome", "captured_at", "url", "row", "file", "error")
    assert of_frame(decide(other)) == of_frame(decide(table))
    for url in ("HTTP://a.example/robots.txt", "http://A.example/robots.txt", "http://a.example:80/robots.txt", "http://u@a.example/robots.txt", "a", None):
        edited = session.createDataFrame([rows[0].asDict() | {"url": url}], table.schema)
        with pytest.raises(InputError, match=re.escape(f"unexpected url '{url or 'null'}'")):
            decide(edited)


def test_a_number_of_tasks_that_the_engine_chooses(session):
    class Conf:
        def __init__(self, value):
            self.value = value

        def get(self, name):
            return self.value

    class Session:
        def __init__(self, value):
            self.conf = Conf(value)

        def __getattr__(self, name):
            return getattr(session, name)

    assert shuffle_partitions(session) == 4
    assert shuffle_partitions(Session("200")) == 200
    assert shuffle_partitions(Session("auto")) == 4 * session.sparkContext.defaultParallelism


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
    saved = tmp_path / "saved"
    saved.mkdir()
    (saved / "page.html").write_text("<title>A page</title>")
    # As Python has the name of a file that is not UTF-8.
    unprintable = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.warc.gz")
    Path(unprintable).write_bytes(data)
    inputs = [*pages[1:], str(cut), str(text), str(tmp_path / "missing.warc.gz"), "nothing://a/b.warc.gz", str(saved), str(saved / "page.html")]
    paths = [*inputs, unprintable]
    frames = [spark.decide(session, paths, table, at=AT, explain=True, join=join).toArrow().to_pylist() for join in ("broadcast", "shuffle")]
    rows = [sorted(str(row) for row in frame) for frame in frames]
    assert rows[0] == rows[1]
    errors = {row["file"]: row["error"] for row in frames[1] if row["error"]}
    shown = str(tmp_path / "\ufffd.warc.gz")
    assert set(errors) == {*inputs[-6:], shown}
    assert errors[shown] == f"{shown}: the path is not valid UTF-8"
    assert all("not an archive" in errors[path] for path in inputs[-2:])
    # So do the other tables.
    for frame in (spark.robots(session, unprintable), spark.records(session, unprintable), spark.index_entries(session, unprintable)):
        assert [row.error for row in frame.collect()] == [errors[shown]]


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
    schema = decision_schema(False, False, None)
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
