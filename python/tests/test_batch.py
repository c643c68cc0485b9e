"""Decisions about Arrow batches, of pyarrow, Polars, DuckDB and pandas."""

import gc
import io
import json
import mmap
import os
import threading
import time
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from test_interrupt import CAN_INTERRUPT, interrupts
from test_program import FIXTURES, responses

from robots_policy import (
    ArchiveError,
    ArrowBatch,
    BatchError,
    InputError,
    Policy,
    ProfileError,
    decide_batch,
    decide_stream,
    iter_decisions,
    records,
)

# They need CPython 3.11.
pa = pytest.importorskip("pyarrow")
duckdb = pytest.importorskip("duckdb")
pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")

AT = 1_790_000_000
CRAWL = FIXTURES / "crawl.warc.gz"
URL = "https://example.com/x"
NOINDEX = b"<meta name=robots content=noindex>"


def batch(**columns):
    """Returns a batch of three pages, with these columns in place of its own."""
    pages = {"url": [URL, "https://example.com/y", "https://other.example/"], "html": [NOINDEX, b"<p>", None]}
    pages.update(columns)
    pages = {name: values for name, values in pages.items() if values is not None}
    return pa.RecordBatch.from_pydict(pages)


def rows(decisions):
    return pa.record_batch(decisions).to_pylist()


def crawl():
    """Returns the pages of the fixture, each with the robots.txt of its site, as a table."""
    captured = list(responses(CRAWL))
    robots = {}
    for url, at, status, headers, body in captured:
        if url.endswith("/robots.txt"):
            content_type = dict(headers).get(b"Content-Type", b"").decode()
            robots[url.removesuffix("robots.txt")] = (body, status, content_type, at)
    pages = [row for row in captured if not row[0].endswith("/robots.txt")]
    known = [robots.get("/".join(url.split("/")[:3]) + "/", (None,) * 4) for url, *_ in pages]
    pair = pa.struct([("name", pa.binary()), ("value", pa.binary())])
    columns = {
        "url": pa.array([page[0] for page in pages]),
        "fetched_at": pa.array([page[1] for page in pages], pa.timestamp("ms", "UTC")),
        "status": pa.array([page[2] for page in pages], pa.uint16()),
        "headers": pa.array([[{"name": k, "value": v} for k, v in page[3]] for page in pages], pa.list_(pair)),
        "html": pa.array([page[4] for page in pages], pa.binary()),
        "robots_txt": pa.array([site[0] for site in known], pa.binary()),
        "robots_status": pa.array([site[1] for site in known], pa.int32()),
        "robots_content_type": pa.array([site[2] for site in known], pa.string()),
        "robots_fetched_at": pa.array([site[3] for site in known], pa.timestamp("us", "UTC")),
    }
    return pa.table(columns)


@pytest.mark.parametrize("profile", ["neutral", "google", "bing", "yandex"])
def test_decisions_equal_those_of_a_policy(profile):
    pages = crawl()
    policy = Policy("Googlebot", profile)
    for page in pages.to_pylist():
        if page["robots_status"] is not None:
            policy.learn(
                page["url"],
                page["robots_txt"],
                status=page["robots_status"],
                content_type=page["robots_content_type"],
            )
    learned = pages.drop_columns(["robots_txt", "robots_status", "robots_content_type", "robots_fetched_at", "fetched_at"])
    decided = pa.table(decide_stream(learned, policies=policy, at=AT, explain=True)).to_pylist()
    stated = pages.drop_columns(["robots_fetched_at", "fetched_at"])
    assert pa.table(decide_stream(stated, agents="Googlebot", profiles=profile, at=AT, explain=True)).to_pylist() == decided
    for row, page in zip(decided, learned.to_pylist(), strict=True):
        headers = [(header["name"], header["value"]) for header in page["headers"]]
        decision = policy.decide(page["url"], page["html"], status=page["status"], headers=headers, at=AT)
        expected = decision.to_dict()
        assert json.loads(row.pop("reasons_json")) == expected.pop("reasons")
        assert json.loads(row.pop("warnings_json")) == expected.pop("warnings")
        assert row.pop("warnings") == len(decision.warnings)
        fetch_reasons = [str(reason) for reason in decision.reasons_for("fetch")]
        assert any(reason.startswith(row.pop("fetch_reason")) for reason in fetch_reasons)
        assert isinstance(row.pop("index_reason"), str) and isinstance(row.pop("may_train_reason"), str) and row.pop("error") is None
        row.pop("row"), row.pop("status"), expected.pop("version")
        if row["expires_at"]:
            row["expires_at"] = row["expires_at"].strftime("%Y-%m-%dT%H:%M:%SZ")
        assert row == expected


def test_archives_have_the_same_decisions():
    expected = {page.decision.url: page.decision.to_dict() for page in iter_decisions(CRAWL, agents="GPTBot", at=AT)}
    decided = {row["url"]: row for row in pa.table(decide_stream(crawl(), agents="GPTBot", at=AT)).to_pylist()}
    assert len(expected) > 20
    for url, decision in expected.items():
        for field in ("fetch", "index", "follow", "archive", "ai_train", "may_train", "licenses", "request_rates"):
            assert decided[url][field] == decision[field]


def test_the_form_of_the_result():
    decisions = decide_batch(batch(), agents=["a", "b"], profiles=["neutral", "google"])
    assert len(decisions) == decisions.num_rows == 12 and "12 rows" in repr(decisions)
    schema = pa.schema(decisions)
    assert schema.names == decisions.column_names == decide_stream(batch()).column_names
    assert schema.names[:7] == ["row", "error", "status", "url", "agent", "profile", "fetch"]
    assert schema.field("expires_at").type == pa.timestamp("us", "UTC")
    assert schema.field("licenses").type == pa.list_(pa.string())
    assert [field.name for field in schema if not field.nullable] == ["row", "agent", "profile"]
    table = pa.table(decisions)
    assert table.column("row").to_pylist() == [0] * 4 + [1] * 4 + [2] * 4
    assert table.column("agent").to_pylist()[:4] == ["a", "b", "a", "b"]
    assert table.column("profile").to_pylist()[:4] == ["neutral", "neutral", "google", "google"]
    # It can be read any number of times.
    assert pa.record_batch(decisions).to_pylist() == table.to_pylist() == pa.table(decisions).to_pylist()
    table.validate(full=True)
    without = rows(decide_batch(batch(), reasons=False, explain=True))
    assert {row["reasons_json"] for row in without} == {"[]"}


def test_dates_need_a_time():
    page = b"<meta name=robots content='unavailable_after: 2026-01-01'>"
    pages = batch(html=[page] * 3)
    early, late = (rows(decide_batch(pages, at=at))[0] for at in (1_600_000_000, AT))
    assert (early["index"], late["index"]) == ("unknown", "no")
    assert early["expires_at"] == late["expires_at"] == datetime(2026, 1, 1, tzinfo=timezone.utc)
    assert rows(decide_batch(pages, at=None))[0]["index"] == "unknown"


TEXTS = [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())]
BINARY = [pa.binary(), pa.large_binary(), pa.binary_view(), pa.dictionary(pa.uint32(), pa.binary())]


@pytest.mark.parametrize("url_type", TEXTS + BINARY, ids=str)
@pytest.mark.parametrize("html_type", TEXTS + BINARY, ids=str)
def test_every_type_of_text_is_read(url_type, html_type):
    expected = rows(decide_batch(batch()))
    pages = batch(
        url=pa.array(batch().column("url").to_pylist()).cast(pa.string()),
        html=pa.array([NOINDEX, b"<p>", None], pa.binary()),
    )
    url, html = converted(pages.column("url"), url_type), converted(pages.column("html"), html_type)
    pages = pa.RecordBatch.from_arrays([html, url], ["html", "url"])
    decided = rows(decide_batch(pages))
    assert [row["index"] for row in decided] == [row["index"] for row in expected] == ["no", "unknown", "unknown"]
    # A slice begins in the middle of its buffers; an empty one has no rows.
    for start, length in ((1, 2), (2, 1), (1, 1), (0, 0), (3, 0)):
        part = decide_batch(pages.slice(start, length))
        assert [row["url"] for row in rows(part)] == [row["url"] for row in decided[start : start + length]]


def converted(array, data_type):
    """Returns a column in another type."""
    if pa.types.is_dictionary(data_type):
        return converted(array, data_type.value_type).dictionary_encode().cast(data_type)
    return pa.array([value if value is None else as_type(value, data_type) for value in array.to_pylist()], data_type)


def as_type(value, data_type):
    is_text = pa.types.is_string(data_type) or pa.types.is_large_string(data_type) or data_type == pa.string_view()
    if is_text:
        return value.decode() if isinstance(value, bytes) else value
    return value.encode() if isinstance(value, str) else value


@pytest.mark.parametrize(
    "headers",
    [
        pa.array(["X-Robots-Tag: noarchive\r\nA: b", None, ""]),
        pa.array([b"HTTP/1.1 200 OK\r\nX-Robots-Tag: noarchive", None, b"\xff"]),
        pa.array(["x-robots-tag: noarchive", None, None]).dictionary_encode(),
        pa.array(
            [[{"name": "X-Robots-Tag", "value": "noarchive"}], None, []],
            pa.list_(pa.struct([("name", pa.string()), ("value", pa.string())])),
        ),
        pa.array(
            [[{"value": b"noarchive", "n": b"1", "name": b"X-Robots-Tag"}], None, []],
            pa.large_list(pa.struct([("value", pa.binary()), ("n", pa.binary()), ("name", pa.large_binary())])),
        ),
        pa.array([[("X-Robots-Tag", "noarchive")], None, []], pa.map_(pa.string(), pa.string())),
    ],
    ids=lambda array: str(array.type),
)
def test_headers(headers):
    decided = rows(decide_batch(batch(headers=headers)))
    assert [row["archive"] for row in decided] == ["no", "unknown", "unknown"]
    part = rows(decide_batch(batch(headers=headers).slice(1)))
    assert [row["archive"] for row in part] == ["unknown", "unknown"]


def test_numbers_times_and_null_columns():
    numbers = [pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64(), pa.float32(), pa.float64()]
    statuses = [pa.array([404, None, 200], kind) for kind in numbers]
    statuses += [statuses[0].dictionary_encode(), pa.array([404, float("nan"), 200])]
    for status in statuses:
        decided = rows(decide_batch(batch(status=status)))
        assert [row["status"] for row in decided] == [404, None, 200]
        assert decided[0]["page_layer"] == "absent"
    hour = datetime(2026, 1, 1, 13, tzinfo=timezone.utc)
    for unit in ("s", "ms", "us", "ns"):
        pages = batch(
            robots_status=pa.array([503] * 3),
            robots_fetched_at=pa.array(["2026-01-01T00:00:00Z"] * 3),
            fetched_at=pa.array([hour - timedelta(hours=2), hour, hour], pa.timestamp(unit)),
        )
        decided = rows(decide_batch(pages, agents="Googlebot", profiles="google"))
        assert [row["fetch"] for row in decided] == ["defer", "allow", "allow"]
    null = pa.nulls(3)
    pages = batch(html=null, status=null, headers=null, robots_txt=null, robots_status=null, fetched_at=null)
    assert {row["page_layer"] for row in rows(decide_batch(pages))} == {"unseen"}


def test_a_bad_row_is_an_error_in_its_row():
    pair = pa.struct([("name", pa.string()), ("value", pa.string())])
    pages = pa.RecordBatch.from_pydict(
        {
            "url": pa.array([b"https://a.example/", None, b"\xff", b"https://a.example/", b"https://a.example/"]),
            "html": pa.array([b"<p>"] * 5),
            "status": pa.array([200, 200, 200, 70_000, 200]),
            "headers": pa.array([[], [], [], [], [{"name": "a", "value": "b"}, {"name": None, "value": "x"}]], pa.list_(pair)),
        }
    )
    decided = rows(decide_batch(pages, agents=["a", "b"]))
    errors = [None, "url is null", "url is not valid UTF-8"]
    errors += ["unexpected status 70000: expected 0 to 65535", "header 1 has no name"]
    assert [row["error"] for row in decided[::2]] == [row["error"] for row in decided[1::2]] == errors
    for row in decided[2:]:
        assert row["agent"] in ("a", "b") and row["profile"] == "neutral"
        known = {"row", "error", "url", "agent", "profile"}
        assert {name for name, value in row.items() if value is not None} <= known
    lone = rows(decide_batch(batch(url=pa.array(["https://a.example/", "mailto:a", ""]))))
    assert [row["error"] for row in lone] == [None] * 3 and lone[1]["warnings"] == 1


def test_a_panic_in_rust_is_an_error_in_its_row():
    urls = [URL, "https://panic.test/", "https://other.example/"]
    decided = rows(decide_batch(batch(url=urls)))
    if decided[1]["error"] is None:
        pytest.skip("the module was built without the feature panic-test")
    assert [row["error"] for row in decided] == [None, "deciding panicked: panic for a test", None]
    assert [row["index"] for row in decided] == ["no", None, "unknown"]
    assert [row["row"] for row in decided] == [0, 1, 2]
    # Neither the decider nor the interpreter has lost anything: later rows and batches are decided.
    reader = pa.RecordBatchReader.from_batches(batch().schema, [batch(url=urls), batch()])
    errors = pa.table(decide_stream(reader)).column("error").to_pylist()
    assert errors == [None, "deciding panicked: panic for a test", None, None, None, None]


def test_wrong_inputs_have_clear_errors():
    for wrong in (7, None, "x", [1], {"url": [URL]}):
        with pytest.raises(TypeError, match="expected an object with __arrow_c"):
            decide_batch(wrong)
        with pytest.raises(TypeError, match="expected an object with __arrow_c_stream__ or"):
            decide_stream(wrong)
    with pytest.raises(TypeError, match="pass it to decide_stream"):
        decide_batch(pa.table({"url": [URL], "html": [b""]}))
    with pytest.raises(InputError, match='no column "url": the columns are "html"'):
        decide_batch(batch(url=None))
    with pytest.raises(InputError, match='no column "html"'):
        decide_stream(batch(html=None))
    with pytest.raises(InputError, match='column "url" has the type Int64: expected strings or binary'):
        decide_batch(batch(url=[1, 2, 3]))
    with pytest.raises(InputError, match='column "status" has the type Utf8: expected numbers'):
        decide_batch(batch(status=["200"] * 3))
    for column, values, shown in [
        ("html", pa.array([True] * 3), r"Boolean: expected strings or binary"),
        ("status", pa.array([200] * 3, pa.decimal128(5, 2)), r"Decimal128\(5, 2\): expected numbers"),
        ("fetched_at", pa.array([0] * 3, pa.time64("us")), r"Time64\(.*\): expected timestamps, dates, seconds since 1970, or strings"),
        ("headers", pa.array([{"a": "b"}] * 3), r"Struct\(.*\): expected strings, binary, a list of structs"),
        ("headers", pa.array([[True]] * 3), r"List\(.*Boolean.*\): expected strings, binary, a list of structs"),
        ("url", pa.array([b"ab"] * 3, pa.binary(2)), r"FixedSizeBinary\(2\): expected strings or binary"),
        ("robots_txt", pa.array([1] * 3).dictionary_encode(), r"Dictionary\(Int32, Int64\): expected strings or binary"),
    ]:
        with pytest.raises(InputError, match=f'column "{column}" has the type {shown}'):
            decide_batch(batch(**{column: values}))
    with pytest.raises(InputError, match="several columns"):
        decide_batch(pa.RecordBatch.from_arrays([pa.array([URL])] * 3, ["url", "html", "url"]))
    with pytest.raises(BatchError, match='expected the struct of a batch, got an array of format "l"'):
        decide_batch(pa.array([1]))
    with pytest.raises(ProfileError):
        decide_batch(batch(), profiles="gogle")
    for arguments in ({"policies": []}, {"agents": []}, {"policies": Policy("a"), "agents": "a"}):
        with pytest.raises(InputError):
            decide_batch(batch(), **arguments)
    with pytest.raises(TypeError):
        decide_batch(batch(), policies="a")


def test_a_struct_array_is_a_batch():
    pages = pa.array([{"url": URL, "html": NOINDEX}, None, {"url": None, "html": b"<p>"}])
    assert [row["error"] for row in rows(decide_batch(pages))] == [None, "row is null", "url is null"]
    assert [row["error"] for row in rows(decide_batch(pages.slice(1)))] == ["row is null", "url is null"]


def test_a_stream_is_decided_batch_by_batch():
    read = []

    def batches():
        for number in range(3):
            read.append(number)
            yield batch()

    stream = decide_stream(pa.RecordBatchReader.from_batches(batch().schema, batches()))
    assert read == []
    first = next(stream)
    assert isinstance(first, ArrowBatch) and read == [0] and len(first) == 3
    assert [[row["row"] for row in rows(decided)] for decided in stream] == [[3, 4, 5], [6, 7, 8]]
    assert list(stream) == []
    stream = decide_stream(pa.RecordBatchReader.from_batches(batch().schema, batches()))
    next(stream)
    rest = pa.RecordBatchReader.from_stream(stream)
    assert rest.read_next_batch().column("row").to_pylist() == [3, 4, 5]
    for again in (lambda: next(stream), lambda: pa.table(stream)):
        with pytest.raises(InputError, match="handed to another reader"):
            again()
    assert pa.table(decide_stream(pa.table(batch().schema.empty_table()))).num_rows == 0


def test_a_reader_that_raises_ends_the_stream_with_an_error():
    def batches():
        yield batch()
        raise ValueError("the disk is gone\0")

    def stream():
        return decide_stream(pa.RecordBatchReader.from_batches(batch().schema, batches()))

    decided = stream()
    assert len(next(decided)) == 3
    # The error stays: an end would mean that all was read.
    for _ in range(2):
        with pytest.raises(BatchError, match="cannot read the next batch: .*the disk is gone"):
            next(decided)
    reader = pa.RecordBatchReader.from_stream(stream())
    reader.read_next_batch()
    with pytest.raises(pa.ArrowInvalid, match="the disk is gone"):
        reader.read_next_batch()

    class Broken:
        def __arrow_c_stream__(self, requested_schema=None):
            raise RuntimeError("no stream")

        def __arrow_c_array__(self, requested_schema=None):
            return 1, 2

    with pytest.raises(RuntimeError, match="no stream"):
        decide_stream(Broken())
    with pytest.raises(TypeError, match="expected a capsule with arrow_schema"):
        decide_batch(Broken())


def test_a_capsule_is_read_once():
    class Once:
        capsules = batch().__arrow_c_array__()

        def __arrow_c_array__(self, requested_schema=None):
            return self.capsules

    once = Once()
    assert len(decide_batch(once)) == 3
    with pytest.raises(BatchError, match="was released"):
        decide_batch(once)

    class Swapped:
        def __arrow_c_array__(self, requested_schema=None):
            return batch().__arrow_c_array__()[::-1]

    with pytest.raises(ValueError, match="incorrect name"):
        decide_batch(Swapped())


def test_polars():
    frame = polars.DataFrame({"url": [URL, "https://example.com/y"], "html": [NOINDEX, b"<p>"], "status": [200, None]})
    decided = polars.DataFrame(decide_stream(frame, agents="ExampleBot"))
    assert decided["index"].to_list() == ["no", "unknown"]
    assert decided.schema["licenses"] == polars.List(polars.String)
    assert decided.schema["expires_at"] == polars.Datetime("us", "UTC")
    texts = frame.with_columns(polars.col("html").cast(polars.String), polars.col("url").cast(polars.Categorical))
    assert polars.DataFrame(decide_stream(texts))["index"].to_list() == ["no", "unknown"]
    assert polars.DataFrame(decide_batch(batch()))["url"].to_list() == batch().column("url").to_pylist()
    assert polars.DataFrame(decide_stream(frame.slice(1, 1)))["index"].to_list() == ["unknown"]


def test_duckdb():
    # A connection has one open result.
    connection, other = duckdb.connect(), duckdb.connect()
    pages = other.sql(
        "select 'https://example.com/' || n as url, encode('<meta name=robots content=noindex>') as html, "
        "case when n % 2 = 0 then 200 end as status, map {'X-Robots-Tag': 'noarchive'} as headers, "
        "timestamptz '2026-01-01 00:00:00Z' as fetched_at from range(5000) pages(n)"
    )
    decisions = decide_stream(pages, agents=["a", "b"])
    counted = connection.sql('select "index", archive, count(*), count(error) from decisions group by all').fetchall()
    assert counted == [("no", "no", 10_000, 0)]
    one = decide_batch(batch())
    assert connection.sql('select list("index" order by "row") from one').fetchall() == [(["no", "unknown", "unknown"],)]


def test_pandas():
    frame = pandas.DataFrame({"url": [URL, "https://example.com/y"], "html": [NOINDEX, b"<p>"], "status": [404, None]})
    decided = pandas.DataFrame.from_arrow(decide_stream(frame))
    assert list(decided["index"]) == ["unknown", "unknown"]
    assert list(pandas.DataFrame.from_arrow(decide_batch(batch()))["fetch"]) == ["unknown"] * 3


def test_decisions_outlive_their_input():
    pages = batch(html=[NOINDEX * 1000] * 3)
    decisions = decide_batch(pages)
    stream = decide_stream(pa.table(pages))
    del pages
    gc.collect()
    assert [row["url"] for row in rows(decisions)] == batch().column("url").to_pylist()
    assert len(next(stream)) == 3


def test_memory_is_returned():
    def used():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    if not os.path.exists("/proc/self/statm"):
        pytest.skip("this system does not state the memory of a process")
    pages = batch(html=[b"<p>" * 1_000_000] * 3)
    for _ in range(5):
        list(decide_stream(pages))
    before = used()
    for _ in range(200):
        list(decide_stream(pages))
        decide_batch(pages).__arrow_c_array__()
        decide_batch(pages).__arrow_c_stream__()
    assert used() - before < 50_000_000


def test_threads_decide_at_the_same_time():
    pages = batch(html=[b"<p>" * 100_000] * 3)
    results = []
    threads = [threading.Thread(target=lambda: results.append(rows(decide_batch(pages)))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8 and all(result == results[0] for result in results)


def test_other_threads_run_meanwhile():
    pages = pa.RecordBatch.from_pydict({"url": [URL] * 20_000, "html": [NOINDEX] * 20_000})
    begun, ended, ticks = [], [], []

    def work():
        begun.append(time.perf_counter())
        decide_batch(pages)
        ended.append(time.perf_counter())

    thread = threading.Thread(target=work)
    thread.start()
    while thread.is_alive():
        ticks.append(time.perf_counter())
        time.sleep(0.001)
    # With the GIL held, this thread would run only before and after the call.
    tenth = (ended[0] - begun[0]) / 10
    assert any(begun[0] + tenth < tick < ended[0] - tenth for tick in ticks)


def test_offsets_of_more_than_two_gigabytes():
    """A column of large binary whose values lie past 2 GiB, in a buffer of zeros that the system need not fill."""
    size = 2**31 + 4096
    memory = mmap.mmap(-1, size)
    memory[size - len(NOINDEX) : size] = NOINDEX
    offsets = pa.py_buffer(b"".join(at.to_bytes(8, "little") for at in (0, 0, size - len(NOINDEX), size)))
    html = pa.Array.from_buffers(pa.large_binary(), 3, [None, offsets, pa.py_buffer(memory)]).slice(2)
    pages = pa.RecordBatch.from_arrays([pa.array([URL]), html], ["url", "html"])
    assert rows(decide_batch(pages))[0]["index"] == "no"


def test_a_stream_that_another_library_has_read_is_refused():
    capsule = pa.RecordBatchReader.from_batches(batch().schema, [batch()]).__arrow_c_stream__()

    class Twice:
        def __arrow_c_stream__(self, requested_schema=None):
            return capsule

    assert len(pa.RecordBatchReader.from_stream(Twice()).read_all()) == 3
    with pytest.raises(BatchError, match="the stream was read already"):
        pa.table(decide_stream(Twice()))


@pytest.mark.parametrize("header", [None, {"name": None, "value": b"noindex"}, {"name": b"", "value": b"noindex"}])
def test_header_lines_without_a_name_are_errors_of_their_row(header):
    pair = pa.struct([("name", pa.binary()), ("value", pa.binary())])
    headers = pa.array([[header], [], []], pa.list_(pair))
    decided = rows(decide_batch(batch(headers=headers), agents="ExampleBot"))
    assert [row["error"] for row in decided] == ["header 0 has no name", None, None]


def test_the_memory_of_a_null_is_no_header_line():
    hidden = pa.StructArray.from_arrays([pa.array(["X-Robots-Tag"]), pa.array(["noindex"])], ["name", "value"], mask=pa.array([True]))
    headers = pa.ListArray.from_arrays([0, 1, 1, 1], hidden)
    assert rows(decide_batch(batch(headers=headers), agents="ExampleBot"))[0]["error"] == "header 0 has no name"


def test_a_stream_whose_input_asks_for_it_is_an_error():
    decided = None

    def batches():
        next(iter(decided))
        yield batch()

    decided = decide_stream(pa.RecordBatchReader.from_batches(batch().schema, batches()))
    with pytest.raises(BatchError, match="is being read by another thread, or by its own input"):
        next(iter(decided))


def test_seconds_are_rounded_down_and_finite():
    times = pa.array([1_790_000_000.9, -0.5, float("inf")])
    decided = rows(decide_batch(batch(fetched_at=times, robots_txt=["", "", ""]), agents="ExampleBot"))
    assert [row["error"] for row in decided[:2]] == [None, None]
    assert decided[2]["error"].startswith('unexpected fetched_at "inf"')


def test_dates_and_whole_decimals():
    def decided(**columns):
        return rows(decide_batch(batch(**columns), agents="Googlebot", profiles="google", explain=True))

    statuses = [Decimal(200), Decimal(404), None]
    expected = decided(status=[200, 404, None])
    assert expected[1] != expected[0]
    for precision in (3, 38):
        assert decided(status=pa.array(statuses, pa.decimal128(precision, 0))) == expected
    too_large = decided(status=pa.array([Decimal(10) ** 37, Decimal(-1), None], pa.decimal128(38, 0)))
    assert [row["error"] is None for row in too_large] == [False, False, True]
    for other in (pa.decimal256(40, 0), pa.decimal128(5, 1)):
        with pytest.raises(InputError, match='"status" has the type Decimal'):
            decide_batch(batch(status=pa.array(statuses, other)))
    # A robots.txt that cannot be reached forbids all pages, for 30 days.
    days = [date(2026, 1, 1), date(2026, 3, 1), None]
    seconds = [int(datetime(day.year, day.month, day.day, tzinfo=timezone.utc).timestamp()) if day else None for day in days]
    robots = {"robots_status": [503] * 3, "robots_fetched_at": pa.array([date(2026, 1, 1)] * 3, pa.date32())}
    expected = decided(fetched_at=seconds, **robots)
    assert decided(fetched_at=pa.array(days, pa.date32()), **robots) == expected
    assert expected[0]["fetch"] != expected[1]["fetch"]
    # Dates before 1970, and those that no calendar has.
    for day in (-1, 2**31 - 1, -(2**31)):
        assert decided(fetched_at=pa.array([day] * 3, pa.int32()).cast(pa.date32()), **robots)[0]["error"] is None


#: Rows that take several seconds to decide about.
MANY = 3_000_000


def many():
    """Returns a batch of rows that share their values, so that they need little memory."""
    indexes = pa.Array.from_buffers(pa.int8(), MANY, [None, pa.py_buffer(bytes(MANY))])
    url, html = ([value] for value in (URL, "<p>"))
    columns = [pa.DictionaryArray.from_arrays(indexes, pa.array(values)) for values in (url, html)]
    return pa.RecordBatch.from_arrays(columns, ["url", "html"])


@pytest.mark.skipif(not CAN_INTERRUPT, reason="no interval timers")
def test_a_signal_ends_a_batch():
    batch = many()
    with interrupts(), pytest.raises(KeyboardInterrupt):
        decide_batch(batch)
    # The library raises its own error; the stream has the exception.
    stream = decide_stream(batch)
    with interrupts(), pytest.raises(pa.ArrowInvalid, match="KeyboardInterrupt"):
        pa.table(stream)
    assert type(stream.error) is KeyboardInterrupt


def test_a_stream_has_the_exception_that_another_library_reports():
    stream = records(io.BytesIO(b"no archive"), name="x")
    assert stream.error is None
    with pytest.raises(pa.ArrowInvalid):
        pa.table(stream)
    assert type(stream.error) is ArchiveError and "x" in str(stream.error)

    class Broken:
        def read(self, size):
            raise PermissionError("no key")

    stream = records(Broken(), name="x")
    with pytest.raises(pa.ArrowInvalid, match="no key"):
        pa.table(stream)
    assert type(stream.error) is PermissionError and isinstance(stream.error.__context__, ArchiveError)

    def batches():
        yield batch()
        raise ValueError("the disk is gone")

    stream = decide_stream(pa.RecordBatchReader.from_batches(batch().schema, batches()))
    with pytest.raises(pa.ArrowInvalid):
        pa.table(stream)
    assert type(stream.error) is BatchError and "the disk is gone" in str(stream.error)
