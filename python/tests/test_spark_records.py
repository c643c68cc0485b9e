"""Records of archives on Spark: the data source `warc`, parts, and subsets by indexes."""

import gzip
import http.server
import json
import pickle
import re
import threading
from pathlib import Path

import pytest

pyspark = pytest.importorskip("pyspark")

import pyarrow as pa
from pyarrow import parquet
from pyspark.sql.datasource import DataSource, DataSourceReader, EqualTo
from spark_archives import index_of, split, warc
from spark_rows import AT, of_frame, of_program
from spark_sessions import session, table  # fixtures
from test_program import FIXTURES, PROGRAM

from robots_policy import InputError, records, spark

CRAWL = FIXTURES / "crawl.warc.gz"
AGENTS = ["Googlebot", "GPTBot"]
needs_program = pytest.mark.skipif(not PROGRAM.exists(), reason=f"the program is not built: {PROGRAM}")


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    return split(CRAWL, tmp_path_factory.mktemp("crawl") / "archives", pages=3)


def rows_of(paths, **options):
    """Returns the rows of one process, sorted."""
    rows = [row for path in paths for row in pa.table(records(path, **options)).to_pylist()]
    return sorted(rows, key=lambda row: (row["file"], row["offset"]))


def collected(frame):
    return sorted(frame.toArrow().to_pylist(), key=lambda row: (row["file"], row["offset"]))


def test_rows_are_those_of_one_process(session, archives):
    paths = archives[0]
    frame = session.read.format("warc").load(paths)
    assert "block" not in frame.columns and frame.columns[-1] == "error"
    expected = rows_of(paths)
    assert collected(frame) == expected and len(expected) > 20
    assert frame.rdd.getNumPartitions() == len(paths)
    divided = session.read.format("warc").option("partBytes", 3_000).load(paths)
    assert divided.rdd.getNumPartitions() == sum(-(-Path(path).stat().st_size // 3_000) for path in paths) > 2 * len(paths)
    assert collected(divided) == expected
    assert collected(spark.records(session, paths)) == expected
    assert collected(spark.records(session, paths, part_bytes=2_000, types="response", statuses=200)) == rows_of(
        paths, types="response", statuses=200
    )
    some = session.read.format("warc").option("columns", "file, offset, block").load(paths[0])
    assert collected(some) == rows_of(paths[:1], columns=["file", "offset", "block", "error"])
    named = session.read.format("warc").schema("file string, offset bigint, type string").load(paths)
    assert collected(named) == rows_of(paths, columns=["file", "offset", "type"])


def test_paths_patterns_and_lists(session, archives, tmp_path):
    folder = str(Path(archives[0][0]).parent)
    count = session.read.format("warc").load(archives[0]).count()
    assert session.read.format("warc").load(f"{folder}/pages-*.warc.gz").count() == count
    assert session.read.format("warc").load([f"{folder}/pages-*", archives[1][0]]).count() > count
    paths = tmp_path / "warc.paths.gz"
    paths.write_bytes(gzip.compress("\n".join(Path(path).name for path in archives[0]).encode()))
    assert session.read.format("warc").option("list", str(paths)).option("base", f"{folder}/").load().count() == count
    for options, message in (({"colour": "x"}, "unknown option 'colour'"), ({"partBytes": "many"}, "partBytes 'many'"), ({"faults": "no"}, "faults 'no'"), ({}, "no archives")):
        with pytest.raises(Exception, match=message):
            reader = session.read.format("warc").options(**options)
            (reader.load(archives[0]) if options else reader.load()).count()


def test_names_that_look_like_patterns(tmp_path):
    folder = tmp_path / "a[1]*"
    (folder / "empty").mkdir(parents=True)
    names = ["b[2].warc.gz", "b2.warc.gz", "c*.warc.gz", "cd.warc.gz"]
    for name in (*names, "_hidden", ".hidden"):
        (folder / name).write_bytes(b"")
    lines = tmp_path / "paths"
    lines.write_text("b[2].warc.gz c*.warc.gz missing*.warc.gz")

    def found(**options):
        source = spark.WarcDataSource(options)
        return [path.removeprefix(f"{folder}/") for path in source.reader(source.schema()).archives]

    every = sorted(names)
    assert found(path=str(folder)) == found(path=f"{folder}/") == every
    assert found(path=f"{folder}/b[2].warc.gz") == found(path=f"file:{folder}/b[2].warc.gz") == ["b[2].warc.gz"]
    assert found(base=f"{folder}/", path="b[2].warc.gz") == ["b[2].warc.gz"]
    assert found(base=f"{folder}/", path="b*.gz") == found(base=f"file:{folder}/", path="b*.gz") == ["b2.warc.gz", "b[2].warc.gz"]
    assert found(base=f"{folder}/", paths='["c?.warc.gz", "missing.gz"]') == ["c*.warc.gz", "cd.warc.gz", "missing.gz"]
    # The names of a list are not patterns: a missing one is an error of its own.
    assert found(list=str(lines), base=f"{folder}/") == ["b[2].warc.gz", "c*.warc.gz", "missing*.warc.gz"]
    for path in ("typo*.warc.gz", "empty", "_hid*"):
        with pytest.raises(InputError, match=re.escape(f"no files at {f'{folder}/{path}'!r}")):
            found(paths=json.dumps(["b2.warc.gz", path]), base=f"{folder}/")


def test_patterns_of_urls():
    fsspec = pytest.importorskip("fsspec")
    files = fsspec.filesystem("memory")
    for name in ("/crawl/a1.gz", "/crawl/a2.gz", "/crawl/b[1].gz"):
        files.pipe_file(name, b"")

    def found(path):
        source = spark.WarcDataSource({"path": path})
        return source.reader(source.schema()).archives

    assert found("memory://crawl/a*.gz") == ["memory:///crawl/a1.gz", "memory:///crawl/a2.gz"]
    for path in ("memory://crawl/b[1].gz", "memory://crawl/missing.gz"):
        assert found(path) == [path]
    with pytest.raises(InputError, match="no files at 'memory://crawl/c"):
        found("memory://crawl/c*.gz")


def test_a_task_does_not_get_the_names_of_all_archives(archives):
    options = {"paths": json.dumps(archives[0] * 10_000)}
    source = spark.WarcDataSource(options)
    reader = source.reader(source.schema())
    sent = pickle.loads(pickle.dumps(reader))
    assert len(pickle.dumps(reader)) < 1_000
    assert [batch.num_rows for batch in sent.read(reader.partitions()[0])] == [len(rows_of(archives[0][:1]))]


@pytest.mark.parametrize("pushdown", ["false", "true"])
def test_a_filter_of_one_use_of_a_frame_does_not_apply_to_others(session, archives, pushdown):
    """Other data sources of a session may need pushdown. Before Spark 5, it would give the filters of a use to all others."""
    every = rows_of(archives[0])
    kinds = [row["type"] for row in every]
    session.conf.set("spark.sql.python.filterPushdown.enabled", pushdown)
    try:
        frame = session.read.format("warc").option("columns", "offset,type,status,mime_type,target_uri").load(archives[0])
        responses, infos = frame.where("type = 'response'"), frame.where("type = 'warcinfo'")
        few, many = kinds.count("warcinfo"), kinds.count("response")
        assert 0 < few < many < len(every)
        assert [use.count() for use in (frame, responses, infos, frame)] == [len(every), many, few, len(every)]
        assert responses.union(infos).count() == infos.union(responses).count() == few + many
        assert responses.union(frame).count() == many + len(every)
        frame.createOrReplaceTempView("warc_records")
        count = "(select count(*) from warc_records where {})"
        kinds = ("type = 'response'", "type = 'warcinfo'", "type is not null", "error is null", "true")
        row = session.sql("select " + ", ".join(count.format(kind) for kind in kinds)).first()
        assert tuple(row) == (many, few, len(every), len(every), len(every))
        pages = frame.where("type = 'response' and status in (200, 404) and mime_type = 'text/html' and target_uri like '%e%'")
        is_page = lambda row: (row["type"], row["mime_type"]) == ("response", "text/html") and row["status"] in (200, 404)
        assert pages.count() == sum(is_page(row) and "e" in row["target_uri"] for row in every) > 0
    finally:
        session.conf.unset("spark.sql.python.filterPushdown.enabled")


@pytest.mark.xfail(strict=True, reason="Spark 4 keeps one reader for all plans of a frame; fixed in main by apache/spark#57752")
def test_spark_keeps_pushed_filters_to_their_plan(session):
    """Once this passes, the data source can have `pushFilters` again."""

    class Numbers(DataSource):
        @classmethod
        def name(cls):
            return "numbers"

        def schema(self):
            return "number int"

        def reader(self, schema):
            class Reader(DataSourceReader):
                wanted = range(4)

                def pushFilters(self, filters):
                    for filter in filters:
                        if isinstance(filter, EqualTo):
                            self.wanted = [filter.value]
                        else:
                            yield filter

                def read(self, partition):
                    return iter([(number,) for number in self.wanted])

            return Reader()

    session.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    try:
        session.dataSource.register(Numbers)
        frame = session.read.format("numbers").load()
        assert frame.where("number = 2").count() == 1
        assert frame.count() == 4
    finally:
        session.conf.unset("spark.sql.python.filterPushdown.enabled")


def test_faults_are_rows_or_end_the_job(session, archives, tmp_path):
    cut = tmp_path / "cut.warc.gz"
    cut.write_bytes(Path(archives[0][0]).read_bytes()[:-30])
    missing = str(tmp_path / "missing.warc.gz")
    for frame in (
        session.read.format("warc").option("partBytes", 3_000).load([str(cut), missing, archives[0][1]]),
        session.read.format("warc").option("types", "response").load([str(cut), missing, archives[0][1]]),
    ):
        faults = {row.file: row.error for row in frame.where("error is not null").collect()}
        assert set(faults) == {str(cut), missing} and "truncated" in faults[str(cut)] and "missing" in faults[missing]
    # A filter of Spark drops the row that says so, as in SQL. These readings have no such row.
    frame = session.read.format("warc").load([missing])
    assert (frame.where("type = 'response'").count(), frame.where("type = 'response' or error is not null").count()) == (0, 1)
    for frame in (
        session.read.format("warc").option("faults", "false").load([missing]),
        session.read.format("warc").schema("file string, type string").load([missing]),
    ):
        with pytest.raises(Exception, match="missing.warc.gz"):
            frame.where("type = 'response'").count()
    frame = session.read.format("warc").option("faults", "FALSE").load([str(cut)])
    assert frame.where("error is not null").count() == 0 < frame.count()


@needs_program
def test_parts_have_the_decisions_of_archives(session, archives, table):
    pages, robots = archives
    expected = of_program(pages, robots, AGENTS, ["google"])
    for part_bytes, partitions in ((2_000, None), (5_000, 3), (None, None)):
        options = {"agents": AGENTS, "profiles": "google", "at": AT, "explain": True, "part_bytes": part_bytes, "partitions": partitions}
        decisions = spark.decide(session, pages, table, **options)
        assert of_frame(decisions) == expected
    assert spark.decide(session, pages, table, part_bytes=2_000).rdd.getNumPartitions() > 3 * len(pages)
    with pytest.raises(InputError, match="unexpected part_bytes 0"):
        spark.decide(session, pages, table, part_bytes=0)


@needs_program
@pytest.mark.parametrize("kind", ["columnar", "cdxj"])
def test_subsets_by_an_index(session, archives, table, tmp_path, kind):
    pages, robots = archives
    base = str(Path(pages[0]).parent) + "/"
    listing = index_of(pages, base)
    if kind == "columnar":
        parquet.write_table(listing, tmp_path / "index.parquet")
        index = session.read.parquet(str(tmp_path / "index.parquet"))
    else:
        names = {"content_mime_type": "mime", "fetch_status": "status", "warc_filename": "filename"}
        names |= {"warc_record_offset": "offset", "warc_record_length": "length"}
        lines = [{names.get(name, name): str(value) for name, value in row.items()} for row in listing.to_pylist()]
        path = tmp_path / "index.cdxj.gz"
        path.write_bytes(gzip.compress("".join(f"key 2026 {json.dumps(line)}\n" for line in lines).encode()))
        index = spark.index_entries(session, [str(path), str(tmp_path / "missing.cdxj")])
        assert index.where("error is not null").count() == 1
    wanted = index.where("fetch_status = 200 and content_mime_type = 'text/html' and url like '%e%'")
    urls = {row.url for row in wanted.collect()}
    decisions = spark.decide(session, wanted, table, agents=AGENTS, profiles="google", at=AT, explain=True, base=base)
    expected = [row for row in of_program(pages, robots, AGENTS, ["google"]) if dict(row)["url"] in urls]
    assert of_frame(decisions) == expected and len(expected) > 10
    found = spark.records(session, wanted, columns=["file", "offset", "target_uri", "payload"], base=base, partitions=2)
    assert {row.target_uri for row in found.collect()} == urls
    with pytest.raises(InputError, match="no column 'warc_filename'"):
        spark.records(session, session.range(1))


def test_errors_of_an_index_are_rows(session, archives, table, tmp_path):
    pages = archives[0]
    (entry, *_) = index_of(pages, "").to_pylist()
    path = tmp_path / "index.cdxj"
    line = {"url": entry["url"], "filename": entry["warc_filename"], "offset": entry["warc_record_offset"], "status": "200"}
    path.write_text(f"key 2026 {json.dumps(line)}\n")
    missing = [str(tmp_path / name) for name in ("1.cdxj", "2.cdxj")]
    index = spark.index_entries(session, [str(path), *missing])
    found = spark.records(session, index, columns=["file", "target_uri"])
    assert [row.target_uri for row in found.where("error is null").collect()] == [entry["url"]]
    frames = [found]
    for join in ("broadcast", "shuffle"):
        frames.append(spark.decide(session, index, table, join=join, at=AT, fields=["file", "url"]))
        assert [row.url for row in frames[-1].where("error is null").collect()] == [entry["url"]]
    for frame in frames:
        errors = sorted(frame.where("error is not null").collect())
        assert [row.file for row in errors] == [None, None]
        assert all(name in row.error for name, row in zip(missing, errors, strict=True))
    # Neither is an entry without a place an error, nor one with a place and a column of this name.
    rows = [(pages[0], entry["warc_record_offset"], None, "a note"), (None, 5, 5, None), (pages[0], None, 5, None)]
    index = session.createDataFrame(rows, "warc_filename string, warc_record_offset long, warc_record_length long, error string")
    assert [(row.target_uri, row.error) for row in spark.records(session, index, columns=["target_uri"]).collect()] == [(entry["url"], None)]


def test_a_record_that_an_index_lists_twice_is_read_once(session, archives):
    entries = index_of(archives[0][:1], "").to_pylist()[:3]
    rows = [(entry["warc_filename"], entry["warc_record_offset"], length) for entry in entries for length in (None, entry["warc_record_length"], 9)]
    index = session.createDataFrame(rows, "warc_filename string, warc_record_offset int, warc_record_length int")
    found = spark.records(session, index, columns=["file", "offset", "target_uri", "truncated"])
    assert [(row["target_uri"], row["truncated"], row["error"]) for row in collected(found)] == [(entry["url"], None, None) for entry in entries]


def test_wrong_filters_are_errors_before_a_job(session, archives):
    for statuses in (70_000, [200, 70_000], -1):
        with pytest.raises(InputError, match="status"):
            spark.records(session, archives[0], statuses=statuses)
    with pytest.raises(InputError, match="70000"):
        source = spark.WarcDataSource({"path": archives[0][0], "statuses": "70000"})
        source.reader(source.schema())


def test_one_url_of_captures_is_not_a_list_of_letters(session, archives):
    (first, *_) = [row["target_uri"] for row in rows_of(archives[0][:1], types="response", statuses=200)]
    assert {row.url for row in spark.robots(session, archives[0][0], urls=first).collect()} == {first}


class RangeServer(http.server.BaseHTTPRequestHandler):
    """Serves files of a folder, with range requests, and notes the ranges."""

    protocol_version = "HTTP/1.1"

    def do_HEAD(self):
        self.do_GET(body=False)

    def do_GET(self, body=True):
        path = self.server.folder / self.path.lstrip("/")
        if not path.is_file():
            self.send_error(404)
            return
        data = path.read_bytes()
        size, status = len(data), 200
        wanted = self.headers.get("Range")
        if wanted:
            first, last = wanted.removeprefix("bytes=").split("-")
            data, status = data[int(first) : int(last or size) + 1], 206
        self.send_response(status)
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(len(data)))
        if wanted:
            self.send_header("Content-Range", f"bytes {first}-{int(first) + len(data) - 1}/{size}")
        self.end_headers()
        if body:
            self.server.sent.append((path.name, int(first) if wanted else 0, len(data)))
            self.wfile.write(data)

    def log_message(self, *_):
        pass


@pytest.fixture
def server(archives):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), RangeServer)
    server.folder, server.sent = Path(archives[0][0]).parent, []
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_only_the_bytes_of_the_records_are_read_from_a_server(session, archives, server):
    pytest.importorskip("aiohttp")
    pages = archives[0]
    base = str(Path(pages[0]).parent) + "/"
    listing = index_of(pages, base)
    listing = listing.take(list(range(0, listing.num_rows, 3)))
    index = session.createDataFrame(listing.to_pandas())
    url = f"http://127.0.0.1:{server.server_address[1]}/"
    rows = collected(spark.records(session, index, columns=["file", "offset", "target_uri", "payload"], base=url))
    assert [row["error"] for row in rows if row["error"]] == []
    expected = {(row["warc_filename"], row["warc_record_offset"], row["warc_record_length"]) for row in listing.to_pylist()}
    assert set(server.sent) == expected and len(server.sent) == len(rows) == listing.num_rows
    assert {row["target_uri"] for row in rows} == set(listing["url"].to_pylist())


def test_parts_of_archives_on_a_server(session, archives, server):
    pytest.importorskip("aiohttp")
    url = f"http://127.0.0.1:{server.server_address[1]}/"
    names = [Path(path).name for path in archives[0]]
    frame = spark.records(session, names, base=url, part_bytes=4_000)
    assert frame.rdd.getNumPartitions() > len(names)
    own = {name: value for name, value in zip(names, archives[0], strict=True)}
    rows = [{**row, "file": own[row["file"].removeprefix(url)]} for row in collected(frame)]
    assert rows == rows_of(archives[0])


def test_parts_that_do_not_follow_each_other_are_an_error(session, table, tmp_path):
    """A page whose text is a whole record, at which the second part seems to begin."""
    inner = warc(("http://false.example/", 1, 200, "Content-Type: text/html", "<p>false"))
    outer = warc(("http://a.example/", 1, 200, "Content-Type: text/html", "<p>" + "x" * 500 + "\r\n\r\n" + inner.decode()))
    path = tmp_path / "nested.warc"
    path.write_bytes(outer + warc(("http://b.example/", 1, 200, "Content-Type: text/html", "<p>b")))
    for frame in (
        spark.decide(session, str(path), table, part_bytes=500, at=AT),
        spark.records(session, str(path), part_bytes=500),
        session.read.format("warc").option("partBytes", 500).load(str(path)),
    ):
        (error,) = [row.error for row in frame.collect() if row.error]
        assert "read the archive without dividing it" in error and str(path) in error
    whole = spark.decide(session, str(path), table, part_bytes=None, at=AT).collect()
    assert [(row.url, row.error) for row in whole] == [("http://a.example/", None), ("http://b.example/", None)]
    frame = session.read.format("warc").option("partBytes", 500).option("faults", "false").load(str(path))
    with pytest.raises(Exception, match="read the archive without dividing it"):
        frame.where("type = 'response'").count()
