"""Decisions on Spark, in one process (`local`). test_spark_cluster.py has a cluster."""

import gzip
import io
import os
import re
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path

import pytest

# .ci/spark installs it, with a version of pandas of its own.
pyspark = pytest.importorskip("pyspark")

from pyarrow import parquet
from spark_archives import PROGRAMS, SCALE, index_of, warc
from spark_rows import AT, of_frame, of_program
from spark_sessions import archives, session, table  # fixtures
from test_program import FIXTURES, PROGRAM

import robots_policy
from robots_policy import ArchiveError, InputError, RobotsBook, captures, records, spark

EXAMPLES = Path(__file__).parents[1] / "examples"
PACKAGE = Path(robots_policy.__file__).parents[1]
AGENTS = ["Googlebot", "GPTBot"]
needs_program = pytest.mark.skipif(not PROGRAM.exists(), reason=f"the program is not built: {PROGRAM}")


def test_captures_are_those_of_a_book(session, archives, table):
    rows = table.toArrow()
    assert rows.column("error").null_count == rows.column("warning").null_count == len(rows)
    assert set(rows.column("origin").to_pylist()) == {url.removesuffix("/robots.txt") for url in rows.column("url").to_pylist()}
    book = captures(archives[1], agents=AGENTS, profiles="bing")
    assert len(book) == len(rows) >= 2
    # The table serves any robots and profiles.
    from robots_policy._tasks import book_of

    assert book_of(rows, AGENTS, "bing").to_bytes() == book.freeze().to_bytes()
    assert RobotsBook.from_rows(book.to_rows(), agents=AGENTS, profiles="bing").to_bytes() == book.to_bytes()


def test_fields_and_defaults(session, archives, table):
    decisions = spark.decide(session, archives[0][0], table, fields=["url", "fetch"])
    assert decisions.columns == ["url", "fetch", "error"]
    assert decisions.where("error is null").count() == decisions.count() > 2
    assert spark.decide(session, archives[0][0], table, fields="url").columns == ["url", "error"]
    assert spark.decide(session, [], table).count() == 0
    assert "reasons_json" not in spark.decide(session, archives[0], table).columns
    with pytest.raises(InputError, match="no field 'color'; the fields are file, offset"):
        spark.decide(session, archives[0], table, fields=["color"])
    with pytest.raises(InputError, match="named twice"):
        spark.decide(session, archives[0], table, fields=["url", "url"])
    for at in (datetime(2026, 11, 23), float("nan")):
        with pytest.raises(InputError, match="time"):
            spark.decide(session, archives[0], table, at=at)


def test_times_are_those_of_the_session(session, tmp_path):
    page = tmp_path / "page.warc"
    headers = "Content-Type: text/html\r\nX-Robots-Tag: unavailable_after: 2027-01-02T03:04:05Z"
    page.write_bytes(warc(("http://a.example/x", 2, 200, headers, "<p>")))
    robots = tmp_path / "robots.warc"
    robots.write_bytes(warc(("http://a.example/robots.txt", 1, 200, "", "User-agent: *\nDisallow: /y")))
    table = spark.robots(session, str(robots))
    assert table.selectExpr("unix_timestamp(captured_at)").first()[0] == 1_793_491_200
    decisions = spark.decide(session, str(page), table, profiles="google", at=datetime.fromtimestamp(AT, timezone.utc))
    assert decisions.selectExpr("unix_timestamp(expires_at)").first()[0] == 1_798_859_045


def test_faults_are_rows(session, archives, table, tmp_path):
    pages = archives[0]
    cut = tmp_path / "cut.warc.gz"
    data = Path(pages[0]).read_bytes()
    cut.write_bytes(data[: len(data) * 6 // 10])
    text = tmp_path / "text.warc.gz"
    text.write_bytes(b"<title>A page</title>")
    inputs = [*pages[1:], str(cut), str(text), str(tmp_path / "missing.warc.gz"), "nothing://a/b.warc.gz"]
    decisions = spark.decide(session, inputs, table, at=AT).persist()
    faults = {row.file: row.error for row in decisions.where("error is not null").collect()}
    assert set(faults) == set(inputs[-4:])
    assert "truncated" in faults[str(cut)] and "neither a WARC" in faults[str(text)]
    assert "missing.warc.gz" in faults[inputs[-2]] and "nothing" in faults[inputs[-1]]
    assert decisions.where("error is not null and (url is not null or agent is not null)").count() == 0
    whole = spark.decide(session, pages, table, at=AT)
    decided = decisions.where(decisions.error.isNull())
    assert decided.select("url").distinct().count() == decided.count()
    assert 20 < decided.count() < whole.count()
    # A fault is reported once.
    assert decisions.where("error is not null").count() == len(faults)


@pytest.mark.parametrize("join", ["broadcast", "shuffle"])
def test_a_job_ends_at_a_fault(session, archives, table, tmp_path, join):
    pages = archives[0]
    cut = tmp_path / "cut.warc.gz"
    cut.write_bytes(Path(pages[0]).read_bytes()[:-20])
    for fault in (str(cut), str(tmp_path / "missing.warc.gz")):
        decisions = spark.decide(session, [*pages, fault], table, at=AT, join=join, on_fault="fail")
        with pytest.raises(Exception, match=f"ArchiveError: .*{fault}"):
            decisions.count()
    whole = [spark.decide(session, pages, table, at=AT, join=join, on_fault=on_fault).count() for on_fault in ("fail", "row")]
    assert whole[0] == whole[1] > 20
    with pytest.raises(InputError, match="unexpected on_fault 'raise': expected 'row' or 'fail'"):
        spark.decide(session, pages, table, on_fault="raise")


def test_archives_of_robots_txt_that_cannot_be_read(session, archives, tmp_path):
    cut = tmp_path / "cut.warc.gz"
    cut.write_bytes(Path(archives[1][0]).read_bytes()[:-20])
    missing = str(tmp_path / "missing.warc.gz")
    table = spark.robots(session, [archives[1][1], str(cut), missing]).persist()
    assert [row.file for row in table.where("error is not null").collect()] == [missing]
    assert {row.file for row in table.where("warning is not null").collect()} == {str(cut)}
    with pytest.raises(ArchiveError, match="1 archives of robots.txt files could not be read, such as .*missing.warc.gz"):
        spark.decide(session, archives[0], table)
    assert spark.decide(session, archives[0], table.where("error is null")).count() > 20


@needs_program
def test_redirects_into_other_archives_are_followed(session, tmp_path):
    first, second = str(tmp_path / "1.warc"), str(tmp_path / "2.warc")
    html = "Content-Type: text/html"
    to_rules = ("http://a.example/robots.txt", 1, 302, "Location: /rules", "")
    page = ("http://a.example/x", 3, 200, html, "<p>")
    Path(first).write_bytes(warc(to_rules, page, ("http://b.example/robots.txt", 1, 302, "Location: /nowhere", "")))
    more = ("http://a.example/rules", 1, 302, "Location: /more", "")
    # The later of two captures of one second counts.
    rules = [("http://a.example/more", 1, 200, "", f"User-agent: *\nDisallow: /{path}") for path in "yx"]
    Path(second).write_bytes(warc(more, *rules))
    table = spark.write_robots(session, [first, second], str(tmp_path / "robots.parquet"))
    assert spark.missing_targets(table) == ["http://b.example/nowhere"]
    decisions = spark.decide(session, first, table, agents="ExampleBot", at=AT, explain=True)
    assert [row.fetch for row in decisions.collect()] == ["disallow"]
    assert of_frame(decisions) == of_program([first], [first, second], ["ExampleBot"], [])


def test_urls_that_fsspec_opens(session, archives, table):
    pytest.importorskip("fsspec")
    urls = [f"file://{path}" for path in archives[0]]
    decisions = spark.decide(session, urls, table, at=AT, fields=["file", "url", "index"])
    paths = spark.decide(session, archives[0], table, at=AT, fields=["file", "url", "index"])
    rows = [sorted(row["file"].removeprefix("file://") + row["url"] + row["index"] for row in frame.collect()) for frame in (decisions, paths)]
    assert rows[0] == rows[1]
    assert decisions.where("file like 'file://%'").count() == decisions.count()


def test_the_walk_through_runs(session, archives, tmp_path, capsys):
    text = SCALE.read_text("utf-8")
    block, _ = PROGRAMS[0]
    # Java does not change its folder.
    block = re.sub(r'"(\w+\.parquet)"', rf'"{tmp_path}/\1"', block)
    exec(block, {"robots_archives": archives[1], "page_archives": archives[0]})
    shown = capsys.readouterr().out
    assert "disallow" in shown and len(list(tmp_path.glob("decisions.parquet/*.parquet"))) == len(archives[0])
    names = re.findall(r"^\| `(\w+)` \|", text, re.M)
    table = spark.robots(session, archives[1]).columns
    assert names[: len(table)] == table
    known = records(io.BytesIO(), columns=names[len(table) : -5]).column_names
    assert known == [*records(io.BytesIO()).column_names[:-2], "block", "truncated", "error"]
    assert names[-5:] == ["columns", "faults", "partBytes", "list", "base"]


@needs_program
def test_the_example_decides_about_lists_of_archives(archives, tmp_path):
    base = archives[0][0].rsplit("/", 1)[0] + "/"
    lists = {}
    for name, paths in zip(("warc", "robotstxt"), archives, strict=True):
        lists[name] = tmp_path / f"{name}.paths.gz"
        lines = [path.removeprefix(base) for path in paths] + (["missing.warc.gz"] if name == "warc" else [])
        lists[name].write_bytes(gzip.compress("\n".join(lines).encode()))
    out = tmp_path / "out"
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    command = [submit, "--master", "local[2]", "--conf", "spark.ui.enabled=false", EXAMPLES / "spark_decisions.py", "--base", base]
    command += ["--robots", lists["robotstxt"], "--pages", lists["warc"], "--profile", "google", "--agent", "GPTBot", "--out", out]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": str(PACKAGE)}
    subprocess.run(command, check=True, capture_output=True, timeout=300, env=environment, cwd=tmp_path)
    decisions = parquet.read_table(out / "decisions.parquet").to_pylist()
    expected = {dict(row)["url"]: dict(row)["fetch"] for row in of_program(*archives, ["GPTBot"], ["google"])}
    assert {row["url"]: row["fetch"] for row in decisions if row["error"] is None} == expected
    errors = parquet.read_table(out / "errors.parquet").to_pylist()
    assert [row["file"] for row in errors] == [f"{base}missing.warc.gz"]
    # A subset by a columnar index.
    index = tmp_path / "index.parquet"
    parquet.write_table(index_of(archives[0], base), index)
    start, end = command.index("--pages"), command.index("--profile")
    where = ["--index", index, "--where", "fetch_status = 200 and content_mime_type = 'text/html' and url like '%/c%'"]
    command[start:end], command[-1] = where, tmp_path / "subset"
    subprocess.run(command, check=True, capture_output=True, timeout=300, env=environment, cwd=tmp_path)
    decisions = parquet.read_table(tmp_path / "subset" / "decisions.parquet").to_pylist()
    found = {row["url"]: row["fetch"] for row in decisions}
    assert found == {url: fetch for url, fetch in expected.items() if "/c" in url} and 1 < len(found) < len(expected)
    assert parquet.read_table(tmp_path / "subset" / "errors.parquet").num_rows == 0
