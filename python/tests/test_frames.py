"""Frames with decisions, of pyarrow, Polars, DuckDB and pandas."""

import subprocess
import sys
import threading

import pytest

# They need CPython 3.11.
pa = pytest.importorskip("pyarrow")
duckdb = pytest.importorskip("duckdb")
pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")

from spark_archives import PROGRAMS, pages_of
from spark_rows import as_text, of_program
from test_batch import AT, CRAWL, NOINDEX, URL, crawl
from test_program import PROGRAM

from robots_policy import InputError, Policy, captures, decide_frame, decide_stream, decision_columns, records

ROBOTS = "User-agent: *\nDisallow: /private"
FIELDS = ["agent", "fetch", "index"]
EXPECTED = [(1, "a", "allow", "no"), (1, "b", "allow", "no"), (2, "a", "disallow", "url_only"), (2, "b", "disallow", "url_only")]


def pages(**columns):
    """Returns two pages as columns, with these in addition."""
    urls = [URL, "https://example.com/private"]
    return {"id": [1, 2], "url": urls, "content": [NOINDEX, b"<p>" * 9], "robots": [ROBOTS] * 2, **columns}


def relation(columns):
    """Returns columns as a relation of DuckDB, on a connection of its own."""
    table = pa.table(columns)
    connection = duckdb.connect()
    connection.register("pages", table)
    return connection.sql("from pages")


def rows(frame):
    """Returns the rows of any frame."""
    if isinstance(frame, pandas.DataFrame):
        return frame.to_dict("records")
    return frame.to_dicts() if isinstance(frame, polars.DataFrame) else (frame if isinstance(frame, pa.Table) else frame.read_all()).to_pylist()


def reader(columns):
    return pa.table(columns).to_reader()


FRAMES = [polars.DataFrame, pandas.DataFrame, pa.table, reader, relation]


@pytest.mark.parametrize("make", FRAMES, ids=["polars", "pandas", "pyarrow", "reader", "duckdb"])
class TestEveryFrame:
    def test_columns_and_rows(self, make):
        frame = make(pages())
        decided = decide_frame(frame, html="content", robots_txt="robots", agents=iter(["a", "b"]), fields=iter(FIELDS))
        assert isinstance(decided, pa.Table if make is relation else type(frame))
        decided = rows(decided)
        assert list(decided[0]) == ["id", "url", "content", "robots", *FIELDS, "error"]
        assert [(row["id"], row["agent"], row["fetch"], row["index"]) for row in decided] == EXPECTED
        assert [row["content"] for row in decided] == [NOINDEX, NOINDEX, b"<p>" * 9, b"<p>" * 9]
        one = rows(decide_frame(make(pages()), html="content", robots_txt="robots", keep=iter(["id"]), prefix="d_"))
        names = [name for name in decision_columns().column_names if name not in ("file", "offset", "status", "url")]
        assert list(one[0]) == ["id", *("d_" + name for name in [*names, "error"])] and len(one) == 2
        explained = rows(decide_frame(make(pages()), html="content", fields=iter(["reasons_json"]), keep=[]))
        assert list(explained[0]) == ["reasons_json", "error"] and '"noindex"' in explained[0]["reasons_json"]

    def test_headers_and_status(self, make):
        columns = pages(status=[200, 404], lines=["X-Robots-Tag: noarchive", "X-Robots-Tag: noarchive"])

        def decided(**options):
            return [(row["archive"], row["page_layer"]) for row in rows(decide_frame(make(columns), html="content", **options))]

        assert decided(headers="lines") == [("no", "seen"), ("unknown", "absent")]
        assert decided(headers="lines", status=None) == [("no", "seen"), ("no", "seen")]
        assert decided() == [("unknown", "seen"), ("unknown", "absent")]

    def test_errors(self, make):
        for options, message in [
            ({"url": "link"}, "the frame has no column 'link', which url names: its columns are id, url, content, robots"),
            ({"html": "html"}, "no column 'html', which html names"),
            ({"robots_txt": "r"}, "no column 'r', which robots_txt names"),
            ({"keep": ["id", "x"]}, "no column 'x', which keep names"),
            ({"keep": ["id", "id"]}, "keep has a name twice: id, id"),
            ({"fields": ["fetch", "fetch"]}, "fields has a name twice: fetch, fetch"),
            ({"url": "id"}, r'column "url" has the type Int64: expected strings or binary \(url is .id. in the frame'),
            ({"fields": ["color"]}, "no field 'color'; the fields are status, url, agent"),
            ({"fields": ["url"]}, "columns of the same names: 'url': pass a prefix"),
            ({"agents": []}, "no robots"),
            ({"policies": Policy("a"), "agents": "a"}, "policies have agents and profiles"),
        ]:
            with pytest.raises(InputError, match=message):
                decide_frame(make(pages()), **{"html": "content", **options})
        with pytest.raises(InputError, match="same names: 'error'"):
            decide_frame(make(pages(ERROR=["", ""])), html="content")
        with pytest.raises(TypeError, match="unexpected argument 'htlm'"):
            decide_frame(make(pages()), htlm="content")

    def test_a_row_with_an_error_keeps_its_columns(self, make):
        columns = pages(url=[None, URL], robots_status=[None, 404])
        decided = rows(decide_frame(make(columns), html="content", agents=["a", "b"], fields=FIELDS))
        assert [row["error"] if row["id"] == 1 else row["fetch"] for row in decided] == ["url is null"] * 2 + ["allow"] * 2
        assert [row["agent"] for row in decided] == ["a", "b"] * 2

    def test_no_rows(self, make):
        schema = pa.schema([("id", pa.int64()), ("url", pa.string()), ("content", pa.binary())])
        empty = schema.empty_table()
        decided = decide_frame(make({name: empty[name] if make is not pandas.DataFrame else [] for name in schema.names}), html="content", fields=FIELDS)
        assert rows(decided) == []

    def test_many_rows(self, make):
        count = 20_000
        html = [NOINDEX if number % 3 == 0 else None if number % 3 == 1 else b"<p>" for number in range(count)]
        columns = {"id": range(count), "url": [f"https://example.com/{number}" for number in range(count)], "html": html}
        columns["id"] = list(columns["id"])
        decided = rows(decide_frame(make(columns), agents=["a", "b"], fields=FIELDS, keep=["id", "url"]))
        assert [row["id"] for row in decided] == [number for number in range(count) for _ in "ab"]
        assert {row["id"] % 3 for row in decided if row["index"] == "no"} == {0}
        assert all(row["url"].endswith(f"/{row['id']}") for row in decided)


def test_the_index_and_types_of_pandas_are_kept():
    frame = pandas.DataFrame(pages(kind=pandas.Categorical(["x", "y"]), mixed=[1, "a"]), index=pandas.Index(["p", "q"], name="key"))
    one = decide_frame(frame, html="content")
    assert one.index.equals(frame.index) and one.index.name == "key"
    assert one[list(frame.columns)].equals(frame)
    two = decide_frame(frame, html="content", agents=["a", "b"])
    assert list(two.index) == ["p", "p", "q", "q"] and two.index.name == "key"
    assert list(two["mixed"]) == [1, 1, "a", "a"] and two["kind"].dtype == frame["kind"].dtype
    assert isinstance(decide_frame(pandas.DataFrame(pages()), html="content").index, pandas.RangeIndex)
    duplicated = frame.set_axis(["p", "p"])
    assert list(decide_frame(duplicated, html="content").index) == ["p", "p"]


def test_bytes_of_pandas_are_not_copied_and_any_value_is_read():
    values = [b"", b"<p>", NOINDEX, NOINDEX[:12], NOINDEX[:13], None, float("nan"), NOINDEX * 1000]
    frame = pandas.DataFrame({"url": [URL] * len(values), "html": pandas.Series(values, dtype=object)})
    texts = frame.assign(html=[value.decode() if isinstance(value, bytes) else None for value in values])
    arrow = frame.astype({"html": pandas.ArrowDtype(pa.binary())})
    found = [list(decide_frame(pages, fields=["index", "page_layer"])["index"]) for pages in (frame, texts, arrow)]
    assert found == [["unknown", "unknown", "no", "unknown", "unknown", "unknown", "unknown", "no"]] * 3
    layers = decide_frame(frame, fields=["page_layer"])["page_layer"]
    assert list(layers[5:7]) == ["unseen"] * 2
    with pytest.raises(pa.ArrowException):
        decide_frame(frame.assign(html=[b"x", "y", 1, [], None, None, None, None]))
    missing = decide_frame(pandas.DataFrame({"url": [None, None], "html": [None, None]}), fields=[])
    assert list(missing["error"]) == ["url is null"] * 2


def test_texts_of_pandas_that_utf8_cannot_encode_are_errors_of_their_rows():
    broken = "\ud800"
    columns = {"url": [URL, URL + broken, URL, URL], "html": [f"<p>{broken}", None, NOINDEX.decode(), "<p>"]}
    columns["headers"] = [None, None, None, [{"name": "x-robots-tag", "value": broken}]]
    decided = decide_frame(pandas.DataFrame(columns, dtype=object, index=["p"] * 4), agents=["a", "b"], fields=FIELDS)
    reason = "has a lone surrogate: expected a text that UTF-8 can encode"
    assert list(decided["error"].fillna(""))[::2] == [f"html {reason}", f"url {reason}", "", f"headers {reason}"]
    assert list(decided["agent"]) == ["a", "b"] * 4 and list(decided["index"].isna()) == [True] * 4 + [False] * 2 + [True] * 2
    assert list(decided["url"])[::2] == columns["url"] and list(decided["index"])[4:6] == ["no", "no"]
    alone = decide_frame(pandas.DataFrame({"url": [broken], "html": [None]}, dtype=object), fields=[])
    assert list(alone["error"]) == [f"url {reason}"]


def test_polars_types_without_an_equivalent_in_arrow():
    frame = polars.DataFrame(pages()).with_columns(polars.lit(1, polars.Int128).alias("big"), polars.col("robots").cast(polars.Categorical))
    decided = decide_frame(frame, html="content", robots_txt="robots", agents=["a", "b"], fields=FIELDS)
    assert decided.schema["big"] == polars.Int128 and decided.select(frame.columns)[::2].equals(frame)
    with pytest.raises(TypeError, match="expected a data frame, or another object with __arrow_c_stream__, got LazyFrame"):
        decide_frame(frame.lazy(), html="content")


@pytest.mark.parametrize(("name", "argument"), [("id", "keep"), ("url", "url")])
def test_columns_of_the_same_name(name, argument):
    names = [name, "id", "url", "html"]
    table = pa.Table.from_arrays([pa.array(["x"])] * 4, names=names)
    for frame in (table, table.to_reader(), pandas.DataFrame([["x"] * 4], columns=names)):
        with pytest.raises(InputError, match=f"the frame has 2 columns {name!r}: rename them, or pass others as {argument}"):
            decide_frame(frame)
        if argument == "keep" and not isinstance(frame, pa.RecordBatchReader):
            assert len(decide_frame(frame, keep="url")) == 1


def columns_of_every_kind():
    """Returns columns of types that pyarrow cannot take values of, or only since lately, among others."""
    text, binary, number = pa.string_view(), pa.binary_view(), pa.int64()
    lists = [["a", "b" * 30], None, [], ["c" * 20, None]]
    structs = [{"x": "q" * 20, "y": b"z"}, None, {"x": None, "y": b"w" * 30}, {"x": "", "y": None}]
    values = {
        pa.list_(text): lists,
        pa.large_list(pa.large_list(text)): [[["x" * 20]], None, [], [[], ["y"]]],
        pa.list_(text, 1): [["a"], None, ["b" * 20], [None]],
        pa.list_view(text): lists,
        pa.struct([("x", text), ("y", binary)]): structs,
        pa.map_(text, text): [[("a", "b" * 20)], None, [], [("c", None)]],
        pa.json_(text): ["{}", None, '{"text": "longer"}', "1"],
        binary: [b"a", None, b"b" * 20, b""],
        pa.month_day_nano_interval(): [(1, 2, 3), None, (0, 0, 0), (4, 5, 6)],
        pa.null(): [None] * 4,
        number: [1, None, 2, 3],
    }
    columns = [pa.array(column, kind) for kind, column in values.items()]
    names = pa.array(["a", "b" * 20], text)
    places = pa.array([0, 1, 0, 1], pa.int8())
    columns += [
        pa.DictionaryArray.from_arrays(pa.array([0, None, 1, 0], pa.uint32()), names),
        pa.StructArray.from_arrays([pa.DictionaryArray.from_arrays(places, names), pa.array(["a", "b" * 30] * 2, text)], ["d", "t"]),
        pa.RunEndEncodedArray.from_arrays(pa.array([1, 4], pa.int32()), names),
        pa.UnionArray.from_dense(places, pa.array([0, 0, 1, 1], pa.int32()), [pa.array([1, 2]), names]),
        pa.UnionArray.from_sparse(places, [pa.array([1, 2, 3, 4]), pa.array(["x", "y", "z", "w"])]),
    ]
    return pa.table({str(column.type): column for column in columns})


@pytest.mark.parametrize("size", [1, 300, 1 << 26])
def test_columns_of_every_kind_are_kept(monkeypatch, size):
    monkeypatch.setattr("robots_policy._frames._BATCH_BYTES", size)
    kept = columns_of_every_kind()
    table = kept.append_column("url", pa.array([URL] * 4)).append_column("html", pa.array([NOINDEX] * 4))
    for frame in (table, table.slice(1)):
        for agents in (["a"], ["a", "b", "c"]):
            decided = decide_frame(frame, agents=agents, fields=FIELDS)
            decided.validate(full=True)
            assert decided.schema.names == [*table.schema.names, *FIELDS, "error"] and decided["agent"].to_pylist() == agents * len(frame)
            for name in kept.column_names:
                expected = [value for value in frame[name].to_pylist() for _ in agents]
                assert decided[name].type == kept[name].type and decided[name].to_pylist() == expected, name


def test_views_share_their_memory():
    values = [bytes([number]) * 10_000 for number in range(100)]
    frame = pa.table({"url": [URL] * 100, "html": pa.array(values, pa.binary_view())})
    decided = decide_frame(frame, agents=["a", "b"], fields=FIELDS)["html"].combine_chunks()
    assert decided.to_pylist() == [value for value in values for _ in "ab"]
    texts = {buffer.address for buffer in frame["html"].chunk(0).buffers()[2:]}
    assert {buffer.address for buffer in decided.buffers()[2:]} == texts


@pytest.mark.parametrize("robots", [1, 3, 40])
def test_rows_are_divided_by_their_sizes(monkeypatch, robots):
    limit = 10_000
    monkeypatch.setattr("robots_policy._frames._BATCH_BYTES", limit)
    agents = [f"r{number}" for number in range(robots)]
    sizes = [3_000] * 10 + [20_000] + [1] * 1_000
    text = ["x" * size for size in sizes]
    columns = {"id": list(range(len(sizes))), "url": [URL] * len(sizes), "html": ["<p>"] * len(sizes), "text": text, "list": [[value] for value in text]}
    decided = decide_frame(pa.table(columns), agents=agents, fields=["agent"])
    assert decided["id"].to_pylist() == [row for row in columns["id"] for _ in agents]
    assert decided["agent"].to_pylist() == agents * len(sizes)
    assert all(decided[name].to_pylist() == [value for value in columns[name] for _ in agents] for name in ("text", "list"))
    batches = decided.select(list(columns)).to_batches()
    assert {len(batch) for batch in batches if batch.nbytes > limit} == {1} and len(batches) < len(decided) / 5


def test_a_reader_is_decided_as_it_is_read():
    read = []

    def batches():
        for number in range(3):
            read.append(number)
            yield pa.RecordBatch.from_pydict(pages(id=[number, number]))

    schema = pa.RecordBatch.from_pydict(pages()).schema.with_metadata({"a": "b"})
    decided = decide_frame(pa.RecordBatchReader.from_batches(schema, batches()), html="content", fields=["agent"])
    assert read == [] and decided.schema.names == [*schema.names, "agent", "error"]
    decided.read_next_batch()
    assert len(read) < 3
    assert [row["id"] for row in decided.read_all().to_pylist()] == [1, 1, 2, 2]

    def broken():
        yield pa.RecordBatch.from_pydict(pages())
        raise ValueError("the disk is gone")

    with pytest.raises(Exception, match="the disk is gone"):
        decide_frame(pa.RecordBatchReader.from_batches(schema, broken()), html="content").read_all()


@pytest.mark.skipif(not PROGRAM.exists(), reason=f"the program is not built: {PROGRAM}")
def test_a_crawl_with_a_table_of_captures_has_the_rows_of_the_program(tmp_path):
    from robots_policy._extents import Extent
    from robots_policy._tasks import capture_batches

    agents, profiles = ["Googlebot", "GPTBot"], ["google", "neutral"]
    table = pa.table(records(CRAWL, types="response", mime_types=["text/html", "application/xhtml+xml"])).drop_columns("error")
    robots = pa.Table.from_batches(capture_batches(Extent(str(CRAWL)), None))
    book = captures(CRAWL, agents=agents, profiles=profiles)
    fields = [name for name in decision_columns(explain=True).column_names if name not in ("file", "offset")]
    names = {"url": "target_uri", "html": "payload", "fetched_at": "date", "keep": ["file", "offset"], "fields": fields, "at": AT}
    expected = of_program([CRAWL], [CRAWL], agents, profiles)
    assert len(expected) > 80
    chosen = {"agents": agents, "profiles": profiles}
    for frame in (table, polars.DataFrame(table)):
        for options in ({"robots": robots, **chosen}, {"robots": polars.DataFrame(robots), **chosen}, {"robots": book}, {"robots": book.freeze()}):
            decided = rows(decide_frame(frame, **options, **names))
            assert {row.pop("error") for row in decided} == {None}
            assert sorted(tuple((name, as_text(value)) for name, value in row.items()) for row in decided) == expected
    with pytest.raises(InputError, match="the book has agents and profiles"):
        decide_frame(table, book, agents="a", **names)
    with pytest.raises(InputError, match="no column 'body': pass one that robots_policy.spark.write_robots has written"):
        decide_frame(table, robots.drop_columns("body"), **names)
    # A time before all captures, and none.
    url = table["target_uri"][0].as_py()
    with_book = pa.table(decide_stream(pa.table({"url": [url], "html": ["<p>"]}), book=book.freeze(), at=AT)).to_pylist()
    assert [row["fetch"] for row in with_book] == [decision.fetch for decision in book.freeze().decide(url, "<p>", at=AT)]


def test_the_program_of_the_document(tmp_path, monkeypatch, capsys):
    from pyarrow import parquet
    from robots_policy._extents import Extent
    from robots_policy._tasks import capture_batches

    program, output = PROGRAMS[2]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "robots.parquet").mkdir()
    robots = pa.Table.from_batches(capture_batches(Extent(str(CRAWL)), None))
    # As Spark writes times.
    parquet.write_table(robots, "robots.parquet/0.parquet", use_deprecated_int96_timestamps=True)
    parquet.write_table(pages_of([CRAWL]), "pages.parquet")
    exec(program, {})
    assert capsys.readouterr().out.strip() == output.strip()


def test_an_older_pyspark_is_an_error_that_states_its_version(tmp_path):
    (tmp_path / "pyspark.py").write_text("__version__ = '3.5.9'")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import robots_policy.spark"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "ImportError: robots_policy.spark needs PySpark 4.0 or newer, found 3.5.9" in run.stderr


def test_batches_of_a_stream_are_divided():
    count = 40_000
    table = pa.table({"url": [f"https://example.com/{number}" for number in range(count)], "html": ["<p>"] * count})
    decided = [pa.record_batch(batch) for batch in decide_stream(table)]
    assert len(decided) > 1 and max(map(len, decided)) < count
    numbers = [number for batch in decided for number in batch.column("row").to_pylist()]
    assert numbers == list(range(count))
    urls = [url for batch in decided for url in batch.column("url").to_pylist()]
    assert urls == table["url"].to_pylist()


def test_threads_decide_about_frames_at_the_same_time():
    frame = polars.DataFrame(pages())
    found = []
    threads = [threading.Thread(target=lambda: found.append(decide_frame(frame, html="content", at=AT).to_dicts())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and all(one == found[0] for one in found)


def test_the_headers_of_a_crawl():
    table = crawl()
    expected = pa.table(decide_stream(table, agents="GPTBot", at=AT))
    decided = decide_frame(table, agents="GPTBot", at=AT, keep=[], fields=["url", "status", *FIELDS])
    assert decided.drop_columns("error").to_pylist() == expected.select(["url", "status", *FIELDS]).to_pylist()
