"""The records of archives, and the entries of indexes, as Arrow batches."""

import gzip
import io
import json
import subprocess
import threading

import pytest
from test_program import FIXTURES, PROGRAM

from robots_policy import ArchiveError, InputError, captures, decide_batch, decide_warc_batches, index_entries, records

pa = pytest.importorskip("pyarrow")

CRAWL = FIXTURES / "crawl.warc.gz"
DATA = CRAWL.read_bytes()
PLACE = ["offset", "length", "type", "target_uri", "record_id", "date", "status", "mime_type", "payload", "error"]


def table(archive, **options):
    return pa.table(records(archive, **options))


def plain():
    return gzip.decompress(DATA)


class Counted(io.BytesIO):
    """A file object that notes which bytes are asked for and returned."""

    def __init__(self, data):
        super().__init__(data)
        self.asked = []

    def read(self, size=-1):
        at = self.tell()
        data = super().read(size)
        self.asked.append((at, size, len(data)))
        return data


def test_rows_are_those_of_the_archive():
    rows = table(str(CRAWL)).to_pylist()
    assert len(rows) == gzip.decompress(DATA).count(b"\r\nWARC-Record-ID: ") > 40
    assert {row["type"] for row in rows} >= {"warcinfo", "response"}
    assert sum(row["length"] for row in rows) == len(DATA)
    assert [row["offset"] for row in rows][1:] == [row["offset"] + row["length"] for row in rows][:-1]
    page = next(row for row in rows if row["mime_type"] == "text/html" and row["status"] == 200)
    record = gzip.decompress(DATA[page["offset"] : page["offset"] + page["length"]])
    head, http, body = record.split(b"\r\n\r\n", 2)
    assert page["target_uri"].encode() in head
    assert page["record_id"].encode() in head and page["date"].strftime("%Y-%m-%dT%H:%M:%SZ").encode() in head
    assert any(line["name"].lower() == "content-type" and line["value"].startswith("text/html") for line in page["headers"])
    assert page["payload"] and page["payload"][:20] in body
    assert "block" not in page
    block = table(str(CRAWL), columns=["block"], ranges=[(page["offset"], page["length"])])
    assert block.column_names == ["block"] and block["block"][0].as_py() == record[len(head) + 4 : -4]


def test_columns_are_those_that_were_asked_for():
    batches = records(str(CRAWL), columns=["status", "type"])
    assert batches.column_names == ["status", "type"]
    assert pa.table(batches).schema == pa.schema([("status", pa.int64()), ("type", pa.string())])
    assert table(str(CRAWL), columns="offset").num_rows == table(str(CRAWL)).num_rows
    with pytest.raises(InputError, match='no column "color"; the columns are file, offset'):
        records(str(CRAWL), columns=["color"])
    with pytest.raises(InputError, match="named twice"):
        records(str(CRAWL), columns=["type", "type"])


def test_filters():
    rows = table(str(CRAWL)).to_pylist()
    found = table(str(CRAWL), types="response", statuses=[200], mime_types=["text/html"]).to_pylist()
    assert found == [row for row in rows if (row["type"], row["status"], row["mime_type"]) == ("response", 200, "text/html")]
    assert 5 < len(found) < len(rows)
    assert table(str(CRAWL), types=[]).num_rows == 0
    with pytest.raises(InputError, match="unexpected status 70000"):
        records(str(CRAWL), statuses=70_000)


def test_rows_are_input_of_decide_batch():
    pages = table(str(CRAWL), types="response", mime_types="text/html", columns=["target_uri", "payload", "status", "headers"])
    pages = pages.rename_columns(["url", "html", "status", "headers"]).combine_chunks().to_batches()[0]
    decisions = pa.record_batch(decide_batch(pages, agents="GPTBot"))
    assert decisions["error"].null_count == len(decisions) == len(pages)


@pytest.mark.parametrize("data", [DATA, plain()], ids=["gzip", "plain"])
def test_parts_have_the_rows_of_the_archive(data, tmp_path):
    path = tmp_path / "a.warc"
    path.write_bytes(data)
    whole = table(str(path), columns=PLACE)
    assert whole["error"].null_count == whole.num_rows
    assert table(io.BytesIO(data), columns=PLACE).equals(whole)
    for size in (len(data) // 7, len(data) // 2 + 1, len(data), 10 * len(data)):
        for archive in (lambda: str(path), lambda: io.BytesIO(data)):
            offsets = range(0, len(data), size)
            parts = [table(archive(), columns=PLACE, offset=offset, length=size) for offset in offsets]
            assert pa.concat_tables(parts).equals(whole)
    assert table(str(path), columns=PLACE, offset=len(data), length=9).num_rows == 0
    assert table(str(path), columns=PLACE, offset=9, length=0).num_rows == 0


def test_a_part_that_the_next_one_does_not_follow_is_an_error():
    # The second record has a whole record in its block.
    def record(url, block):
        head = f"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: {url}\r\nContent-Length: {len(block)}\r\n\r\n"
        return head.encode() + block + b"\r\n\r\n"

    outer = record("http://outer.example/", b"text\r\n\r\n" + record("http://inner.example/", b"x"))
    data = outer + record("http://last.example/", b"y")
    book, rows = captures(io.BytesIO(data)).freeze(), []
    for read in (records, lambda archive, **options: decide_warc_batches(archive, book, **options)):
        with pytest.raises(ArchiveError, match="next record begins at byte [0-9]+, but .* read the archive without dividing it"):
            for batch in read(io.BytesIO(data), length=20, name="a"):
                rows += pa.record_batch(batch).to_pylist()
    assert [row["target_uri"] for row in rows] == ["http://outer.example/"]
    assert [row["target_uri"] for row in table(io.BytesIO(data)).to_pylist()] == ["http://outer.example/", "http://last.example/"]


def test_archives_that_cannot_be_divided_are_in_their_first_part():
    arc = b"".join(b"http://%d.example/ 1.2.3.4 20080430204825 text/html 3\nabc\n" % number for number in range(9))
    for data, count in ((arc, 9), (b"x\n" * 40 + plain(), None)):
        whole = table(io.BytesIO(data), columns=PLACE)
        assert count in (None, whole.num_rows)
        assert table(io.BytesIO(data), columns=PLACE, length=50).equals(whole)
        assert table(io.BytesIO(data), columns=PLACE, offset=50).num_rows == 0


def test_ranges_of_a_file_object_are_all_that_is_read():
    places = table(str(CRAWL), columns=["offset", "length"]).to_pylist()
    wanted = [(place["offset"], place["length"]) for place in places[::-7]]
    file = Counted(DATA)
    rows = table(file, columns=["offset", "length", "error"], ranges=wanted).to_pylist()
    assert [(row["offset"], row["length"]) for row in rows] == wanted
    assert sum(returned for _, _, returned in file.asked) == sum(length for _, length in wanted)
    assert sum(asked for _, asked, _ in file.asked) == sum(length for _, length in wanted)
    # Without lengths, the same rows, and some bytes more.
    assert table(str(CRAWL), columns=["offset", "length", "error"], ranges=[(offset, None) for offset, _ in wanted]).to_pylist() == rows
    broken = table(str(CRAWL), ranges=[(wanted[0][0] + 1, 9), (0, 30)]).to_pylist()
    assert [row["type"] for row in broken if row["error"] is None] == [] and len(broken) == 2


def test_faults_are_rows_or_errors(tmp_path):
    cut = tmp_path / "cut.warc.gz"
    cut.write_bytes(DATA[: len(DATA) * 6 // 10])
    rows = table(str(cut)).to_pylist()
    (fault,) = [row for row in rows if row["error"] is not None]
    assert "truncated gzip member" in fault["error"] and fault["file"] == str(cut) and fault["offset"] > 0
    assert {name for name, value in fault.items() if value is not None} == {"file", "offset", "error"}
    assert table(str(cut), faults=False)["error"].null_count == len(rows) - 1
    with pytest.raises(ArchiveError, match="missing.warc"):
        records(str(tmp_path / "missing.warc"))
    text = tmp_path / "text.warc"
    text.write_bytes(b"<title>A page</title>")
    with pytest.raises(ArchiveError, match="neither a WARC"):
        list(records(str(text)))
    with pytest.raises(Exception, match="neither a WARC"):
        table(str(text))
    with pytest.raises(ArchiveError, match="empty file"):
        list(records(io.BytesIO()))
    with pytest.raises(InputError, match="not both"):
        records(str(CRAWL), offset=1, ranges=[(0, 1)])
    with pytest.raises(InputError, match="unexpected number of bytes -1"):
        records(str(CRAWL), offset=-1)


def test_an_exception_of_a_file_object_is_raised():
    class Broken(io.BytesIO):
        def seek(self, offset, whence=0):
            raise OSError("the store is away")

    with pytest.raises(OSError, match="the store is away"):
        list(records(Broken(DATA), offset=10))


def test_memory_is_bounded_and_the_lock_released(tmp_path):
    path = tmp_path / "many.warc"
    path.write_bytes(plain() * 40)
    done = threading.Event()
    counts = []

    def count():
        counts.append(sum(len(batch) for batch in records(str(path), columns=["payload"])))
        done.set()

    thread = threading.Thread(target=count)
    thread.start()
    turns = 0
    while not done.wait(0.001):
        turns += 1
    thread.join()
    assert counts == [40 * table(str(CRAWL)).num_rows] and turns > 0
    sizes = [len(batch) for batch in records(str(path), columns=["type"])]
    assert max(sizes) <= 4_096 and sum(sizes) == counts[0]
    first = next(records(str(path)))
    assert pa.record_batch(first).nbytes < 8 << 20


@pytest.mark.skipif(not PROGRAM.exists(), reason=f"the program is not built: {PROGRAM}")
def test_decisions_of_parts_and_ranges_are_those_of_the_program():
    book = captures(str(CRAWL), agents="GPTBot", profiles="google").freeze()
    command = [PROGRAM, "decide", "--json", "--agent", "GPTBot", "--profile", "google", "--robots", CRAWL, CRAWL]
    run = subprocess.run([*command, "--now", "2026-09-21T14:13:20Z"], capture_output=True, text=True, check=True)
    expected = [(row["offset"], row["url"], row["fetch"], row["index"]) for row in map(json.loads, run.stdout.splitlines())]

    def decided(archive, **options):
        batches = decide_warc_batches(archive, book, at=1_790_000_000, threads=1, **options)
        rows = [row for batch in batches for row in pa.record_batch(batch).to_pylist()]
        return [(row["offset"], row["url"], row["fetch"], row["index"]) for row in rows]

    assert decided(str(CRAWL)) == expected and len(expected) > 20
    size = len(DATA) // 3 + 1
    for archive in (lambda: str(CRAWL), lambda: io.BytesIO(DATA)):
        parts = [decided(archive(), offset=offset, length=size) for offset in range(0, len(DATA), size)]
        assert sum(parts, []) == expected and all(parts)
    places = {row["offset"]: row["length"] for row in table(str(CRAWL), columns=["offset", "length"]).to_pylist()}
    some = expected[::3]
    assert decided(io.BytesIO(DATA), ranges=[(row[0], places[row[0]]) for row in some]) == some
    with pytest.raises(InputError, match="expected one input"):
        decide_warc_batches([str(CRAWL), str(CRAWL)], book, offset=1)


def test_the_entries_of_an_index(tmp_path):
    entry = {"url": "http://a.example/", "mime": "text/html", "status": "200", "offset": "7", "length": "9", "filename": "x/a.warc.gz"}
    text = f"example,a)/ 20261120000000 {json.dumps(entry)}\nnonsense\n".encode()
    path = tmp_path / "index.cdxj.gz"
    path.write_bytes(gzip.compress(text))
    for index in (str(path), io.BytesIO(text), path.open("rb")):
        first, second = pa.table(index_entries(index)).to_pylist()
        assert (first["url"], first["fetch_status"], first["content_mime_type"]) == ("http://a.example/", 200, "text/html")
        assert (first["warc_filename"], first["warc_record_offset"], first["warc_record_length"]) == ("x/a.warc.gz", 7, 9)
        assert "line 2 is not an index entry" in second["error"] and second["url"] is None
    with pytest.raises(ArchiveError, match="missing"):
        index_entries(str(tmp_path / "missing"))
