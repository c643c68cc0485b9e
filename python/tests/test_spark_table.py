"""Decisions about the pages of tables on Spark. `.ci/spark quick` runs the small one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyspark")

from pyarrow import parquet
from pyspark.sql.functions import col, lit
from spark_archives import PROGRAMS, pages_of, warc
from spark_rows import AT, of_frame, of_program
from spark_sessions import archives, session, table  # fixtures
from test_program import PROGRAM

import robots_policy
from robots_policy import ArchiveError, InputError, ProfileError, decision_columns, spark

AGENTS = ["Googlebot", "GPTBot"]
PROFILES = ["google", "neutral"]
NAMES = {"url": "target_uri", "html": "payload", "fetched_at": "date"}


@pytest.fixture(scope="module")
def pages(session, archives, tmp_path_factory):
    """Returns the pages of the archives as a Parquet table."""
    folder = str(tmp_path_factory.mktemp("pages") / "pages.parquet")
    records = spark.records(session, archives[0], types="response", mime_types=["text/html", "application/xhtml+xml"])
    records.drop("error").write.parquet(folder)
    return session.read.parquet(folder)


@pytest.mark.skipif(not PROGRAM.exists(), reason=f"the program is not built: {PROGRAM}")
def test_a_small_table(pages, table, archives):
    fields = [name for name in decision_columns(explain=True).column_names if name not in ("file", "offset")]
    for profiles in (PROFILES, ["yandex"]):
        expected = of_program(*archives, AGENTS, profiles)
        decided = spark.decide_table(
            pages, table, agents=AGENTS, profiles=profiles, at=AT, keep=["file", "offset"], fields=fields, **NAMES
        )
        assert of_frame(decided) == expected and len(expected) > 40


def test_the_program_of_the_document(session, archives, table, tmp_path, capsys):
    program, output = PROGRAMS[1]
    parquet.write_table(pages_of(archives[0]), tmp_path / "pages.parquet")
    # Java does not change its folder.
    exec(program.replace('"pages.parquet"', f'"{tmp_path}/pages.parquet"'), {"spark": session, "robots": table})
    assert capsys.readouterr().out.strip() == output.strip()


def test_robots_txt_in_columns(session):
    robots = "User-agent: *\nDisallow: /private"
    rows = [
        (1, "https://a.example/", "<meta name=robots content=noindex>", "X-Robots-Tag: noarchive", 200, robots, 200),
        (2, "https://a.example/private", None, None, 404, robots, None),
        (3, "https://b.example/", "<p>", None, None, None, 404),
        (4, None, "<p>", None, 70_000, None, None),
    ]
    types = "id long, url string, content string, lines string, status int, robots string, robots_status int"
    frame = session.createDataFrame(rows, types)
    decided = spark.decide_table(frame, html="content", headers="lines", robots_txt="robots", agents=["GPTBot", "a"], at=AT)
    assert decided.columns[:9] == [*frame.columns, "agent", "profile"] and decided.columns[-1] == "error"
    found = decided.orderBy("id", "agent").select("id", "agent", "fetch", "index", "archive", "page_layer", "error").collect()
    assert [(row.id, row.agent) for row in found] == [(id, agent) for id in (1, 2, 3, 4) for agent in ("GPTBot", "a")]
    assert [row.fetch for row in found[::2]] == ["allow", "disallow", "allow", None]
    assert [row.error for row in found[::2]] == [None, None, None, "url is null"]
    assert (found[1]["index"], found[1]["archive"]) == ("no", "no")
    # A status is read with headers, and without: a page that is not there has no statements.
    assert found[2].page_layer == "unseen" and decided.where("id = 1").select("content").distinct().count() == 1
    absent = spark.decide_table(frame.where("id = 1").withColumn("status", lit(404)), html="content", headers="lines", status="status", at=AT)
    assert [row.page_layer for row in absent.collect()] == ["absent"]
    ignored = spark.decide_table(frame.where("id = 1").withColumn("status", lit(404)), html="content", headers="lines", status=None, at=AT)
    assert [(row.page_layer, row.archive) for row in ignored.collect()] == [("seen", "no")]


def test_times_choose_among_captures(session, tmp_path):
    archive = tmp_path / "robots.warc"
    closed, opened = (("http://a.example/robots.txt", day, 200, "", f"User-agent: *\n{rule}: /") for day, rule in ((1, "Disallow"), (5, "Allow")))
    archive.write_bytes(warc(closed, opened))
    robots = spark.robots(session, str(archive))
    frame = session.createDataFrame([("http://a.example/x", "<p>", f"2026-11-0{day}T00:00:00Z") for day in (2, 9)], "url string, html string, seen string")
    decided = spark.decide_table(frame, robots, fetched_at="seen", at=AT, profiles="google", fields="fetch").orderBy("seen")
    assert [row.fetch for row in decided.collect()] == ["disallow", "allow"]
    last = spark.decide_table(frame, robots, at=AT, profiles="google", fields=["fetch"], keep=[])
    assert last.columns == ["fetch", "error"] and [row.fetch for row in last.collect()] == ["allow"] * 2


def test_wrong_uses(session, pages, table):
    frame = session.createDataFrame([("https://a.example/", "<p>", "x", 1)], "url string, html string, Error string, index int")
    clash = r"of the same names: 'index', 'error': pass a prefix .*prefix='robots_'"
    with pytest.raises(InputError, match=clash):
        spark.decide_table(frame)
    assert spark.decide_table(frame, prefix="robots_").select("robots_error", "robots_index", "index").first().robots_error is None
    assert spark.decide_table(frame, keep="url").first().error is None
    with pytest.raises(InputError, match="the frame has no column 'url', which url names: its columns are file, offset"):
        spark.decide_table(pages, html="payload")
    with pytest.raises(InputError, match="no column 'seen', which fetched_at names"):
        spark.decide_table(frame, fetched_at="seen", prefix="robots_")
    with pytest.raises(InputError, match=r'column "status" has the type Utf8: expected numbers \(status is .Error. in the frame\)'):
        spark.decide_table(frame, status="Error", prefix="robots_")
    with pytest.raises(TypeError, match="unexpected argument 'statsu'"):
        spark.decide_table(frame, statsu="Error", prefix="robots_")
    with pytest.raises(ProfileError):
        spark.decide_table(frame, profiles="gogle", prefix="robots_")
    with pytest.raises(InputError, match="the table of captures has no column 'file'"):
        spark.decide_table(frame, frame, prefix="robots_")
    broken = table.withColumn("error", lit("missing.warc: no such file"))
    with pytest.raises(ArchiveError, match="could not be read, such as missing.warc"):
        spark.decide_table(frame, broken, prefix="robots_")


def test_columns_of_any_name_pass(session):
    names = ["a.b", "a`b", "`", "", "x y", "0", "é", "url", "html"]
    frame = session.createDataFrame([(*range(7), "https://a.example/", "<p>")], ["c"] * 9).toDF(*names)
    decided = spark.decide_table(frame, agents=["a", "b"], at=AT, fields=iter(["agent"]), prefix="d.")
    assert decided.columns == [*names, "d.agent", "d.error"]
    assert [tuple(row) for row in decided.collect()] == [(*range(7), "https://a.example/", "<p>", agent, None) for agent in ("a", "b")]
    renamed = frame.toDF("html", "html", "HTML", "Url", "x", "y", "z", "u.rl", "h`")
    some = spark.decide_table(renamed, url="u.rl", html="h`", at=AT, fields=[], keep=iter(["HTML", "Url", "h`"]))
    assert [tuple(row) for row in some.collect()] == [(2, 3, "<p>", None)]
    with pytest.raises(InputError, match="the frame has 2 columns 'html': rename them, or pass others as keep"):
        spark.decide_table(renamed, url="u.rl", html="h`")


def test_columns_that_spark_cannot_send_are_errors(session):
    for value, kind in [("interval '1' month", "interval month"), ("array(make_interval(1))", "array<interval>"), ("struct(1 a, 2 a)", "struct<a:int,a:int>")]:
        frame = session.range(1).selectExpr("'https://a.example/' url", "'<p>' html", f"{value} `a.b`")
        with pytest.raises(InputError, match=f"column 'a.b' has the type {kind}, which Spark cannot send to Python: cast it, or leave it out"):
            spark.decide_table(frame)
        assert spark.decide_table(frame, keep="url").first().error is None


def test_columns_of_any_type_pass(session):
    types = ["interval '1' day i", "parse_json('1') v"]
    types += ["struct(1 as a, 'b' as b) s", "map('k', array(1)) m", "1.5bd d", "date'2026-01-01' day", "timestamp_ntz'2026-01-01 00:00:00' t", "null n"]
    frame = session.range(5000).selectExpr("id", "concat('https://a.example/', id) url", "'<p>' html", *types)
    decided = spark.decide_table(frame, agents=["a", "b"], at=AT, fields=["agent"]).persist()
    assert decided.schema.fields[: len(frame.columns)] == frame.schema.fields
    assert decided.count() == 10_000 and decided.where("error is not null").count() == 0
    for agent in ("a", "b"):
        kept = decided.where(col("agent") == agent).drop("agent", "error")
        assert sorted(map(str, kept.collect())) == sorted(map(str, frame.collect()))
    assert spark.decide_table(frame.where("id < 0")).count() == 0


def test_spark_connect(archives, tmp_path):
    pytest.importorskip("grpc")
    pages, robots = archives
    command = [sys.executable, Path(__file__).with_name("spark_connect.py"), tmp_path, pages[0], robots[0]]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": str(Path(robots_policy.__file__).parents[1])}
    run = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment, check=False)
    assert run.returncode == 0, run.stderr
    of_table, *of_archives = json.loads(run.stdout.splitlines()[-1])
    assert of_archives == [of_table, of_table] and len(of_table) >= 8
