"""Books of robots.txt captures: the two steps of distributed engines."""

import copy
import io
import json
import os
import pickle
import subprocess
import threading
import time
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from robots_policy import (
    AgentError,
    ArchiveError,
    ArchiveWarning,
    FrozenRobotsBook,
    InputError,
    LoadError,
    Policy,
    Profile,
    RobotsBook,
    captures,
    decide_warc,
    decide_warc_batches,
    iter_decisions,
)

ROOT = Path(__file__).resolve().parents[2]
FIXTURE = ROOT / "tests" / "fixtures" / "crawl.warc.gz"
CORPUS = Path(os.environ.get("ROBOTS_CORPUS", ROOT.parent / "shared")) / "corpus"
PROGRAM = Path(os.environ.get("ROBOTS_PROGRAM", ROOT / "target" / "debug" / "robots"))
ARCHIVES = [path for path in (FIXTURE, CORPUS / "crawl.warc.gz") if path.exists()]
AT = 1_790_000_000
ROBOTS = {"agents": ["Googlebot", "GPTBot"], "profiles": ["google", "neutral"]}


def rows(pages):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ArchiveWarning)
        return [page.to_dict() for page in pages]


def book_of(*paths, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ArchiveWarning)
        return captures(paths, **(options or ROBOTS))


def warc(*responses):
    """Returns a WARC file of responses: URL, day, status, headers and body."""
    archive = b""
    for url, day, status, headers, body in responses:
        block = f"HTTP/1.1 {status} x\r\n{headers}\r\n\r\n{body}".encode()
        head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-11-{day:02}T00:00:00Z\r\n"
        archive += f"{head}Content-Length: {len(block)}\r\n\r\n".encode() + block + b"\r\n\r\n"
    return archive


@pytest.mark.skipif(not PROGRAM.exists(), reason=f"the program is not built: {PROGRAM}")
@pytest.mark.parametrize("archive", ARCHIVES, ids=lambda path: path.parent.name)
def test_rows_are_those_of_the_program(archive):
    command = [PROGRAM, "decide", "--json", "--explain", "--robots", archive, archive]
    for agent in ROBOTS["agents"]:
        command += ["--agent", agent]
    for profile in ROBOTS["profiles"]:
        command += ["--profile", profile]
    command += ["--now", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(AT))]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    expected = [json.loads(line) for line in run.stdout.splitlines()]
    assert len(expected) > 80
    book = book_of(archive).freeze()
    sent = FrozenRobotsBook.from_bytes(book.to_bytes())
    assert len(book) == len(sent) >= 2
    assert rows(decide_warc(archive, book, at=AT)) == expected
    with archive.open("rb") as file:
        assert rows(decide_warc(file, sent, at=AT, threads=1)) == expected


@pytest.mark.skipif(not PROGRAM.exists(), reason=f"the program is not built: {PROGRAM}")
def test_batches_have_the_evidence_of_the_program(tmp_path):
    pa = pytest.importorskip("pyarrow")
    license = '<rsl><content url="/"><license><prohibits type="usage">ai-train</prohibits></license></content></rsl>'
    archive = tmp_path / "crawl.warc"
    archive.write_bytes(
        warc(
            ("http://a.example/robots.txt", 1, 200, "", "License: http://a.example/license.xml"),
            ("http://a.example/license.xml", 1, 200, "Content-Type: text/xml", license),
            ("http://a.example/.well-known/tdmrep.json", 1, 404, "", ""),
            ("http://b.example/robots.txt", 1, 301, "Location: http://a.example/robots.txt", ""),
            *((f"http://{host}.example/x", 2, 200, "Content-Type: text/html", "<p>") for host in "abc"),
        )
    )
    command = [PROGRAM, "decide", "--evidence", "--json", "--agent", "GPTBot", "--robots", archive, archive]
    command += ["--now", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(AT))]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    expected = [json.loads(line) for line in run.stdout.splitlines()]
    assert [[terms["kind"] for terms in row["terms"]] for row in expected] == [["tdmrep", "license"], ["license"], []]
    book = captures(archive, agents="GPTBot")
    rows = book.to_rows()
    assert [row[7] for row in rows] == [str(archive)] * 4 and rows[0][9] is None
    # Rows without their places are captures all the same.
    plain = RobotsBook.from_rows([row[:7] for row in rows], agents="GPTBot").freeze()
    sent = pickle.loads(pickle.dumps(book.freeze()))
    again = RobotsBook.from_rows(rows, agents="GPTBot").freeze()
    names = [name for name in expected[0] if name.startswith(("robots_", "payload_", "profile_"))] + ["fetch", "may_train", "url"]
    for frozen, has_places in ((book.freeze(), True), (sent, True), (again, True), (plain, False)):
        batches = map(pa.record_batch, decide_warc_batches(archive, frozen, evidence=True, at=AT))
        decided = pa.Table.from_batches(batches).to_pylist()
        assert len(decided) == len(expected) == 3
        for found, row in zip(decided, expected):
            if has_places:
                assert json.loads(found["terms_json"] or "[]") == row["terms"]
                assert found["terms_places"] == row["terms_places"]
                found["robots_captured_at"] = found["robots_captured_at"] and found["robots_captured_at"].strftime("%Y-%m-%dT%H:%M:%SZ")
                assert {name: found[name] for name in names} == {name: row[name] for name in names}
            else:
                assert found["robots_url"] is found["terms_json"] is None and found["may_train"] == row["may_train"]


def test_books_are_merged_in_order_and_sent_as_bytes():
    first = warc(
        ("http://a.example/robots.txt", 1, 200, "", "User-agent: *\nDisallow: /x"),
        ("http://b.example/robots.txt", 1, 404, "", ""),
    )
    second = warc(("http://a.example/robots.txt", 3, 200, "", "User-agent: *\nDisallow: /y"))
    pages = warc(
        *((f"http://{host}.example/{path}", day, 200, "Content-Type: text/html", "<p>") for host in "abc" for path in "xy" for day in (2, 4))
    )
    merged = captures(io.BytesIO(first), agents="ExampleBot")
    other = captures(io.BytesIO(second), agents="ExampleBot")
    merged.merge(other)
    both = captures([io.BytesIO(first), io.BytesIO(second)], agents="ExampleBot")
    assert merged.to_bytes() == both.to_bytes() and len(merged) == 3
    assert merged.robots == [("ExampleBot", Profile("neutral"))]
    assert repr(merged) == "<RobotsBook of ExampleBot under neutral: 3 captures>"
    frozen = merged.freeze()
    merged.merge(other)
    assert len(frozen) == 3 and len(merged) == 4
    for book in (frozen, pickle.loads(pickle.dumps(frozen)), copy.deepcopy(frozen), pickle.loads(pickle.dumps(both)).freeze()):
        fetch = [page.decision.fetch for page in decide_warc(io.BytesIO(pages), book)]
        unknown = ["unknown"] * 4
        assert fetch == ["disallow", "allow", "allow", "disallow", *["allow"] * 4, *unknown]
    # The same as in one step.
    expected = rows(iter_decisions([io.BytesIO(data) for data in (first, second, pages)], agents="ExampleBot", name=["", "", "pages"], at=AT))
    assert rows(decide_warc(io.BytesIO(pages), frozen, name="pages", at=AT)) == expected


def test_a_book_merges_with_itself_and_in_threads():
    book = captures(FIXTURE)
    count = len(book)
    book.merge(book)
    assert len(book) == 2 * count
    books = [captures(FIXTURE) for _ in range(2)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: books[number % 2].merge(books[1 - number % 2]), range(8)))
    assert all(len(book) > count for book in books)


def test_other_robots_profiles_versions_and_damage_are_errors():
    book = captures(FIXTURE, agents=["Googlebot"], profiles="google")
    data = book.to_bytes()
    assert RobotsBook.from_bytes(data, agents="googlebot", profiles="google").to_bytes() == data
    assert FrozenRobotsBook.from_bytes(bytearray(data), agents=["Googlebot"], profiles=[Profile("google")]).to_bytes() == data
    frozen = book.freeze()
    for options, text in [
        ({"agents": "GPTBot", "profiles": "google"}, "is of Googlebot under google, not of GPTBot under google"),
        ({"agents": "Googlebot", "profiles": "neutral"}, "not of Googlebot under neutral"),
        ({"profiles": ["google", "bing"]}, "not of Googlebot under google, bingbot under bing"),
    ]:
        with pytest.raises(LoadError, match=text):
            RobotsBook.from_bytes(data, **options)
        with pytest.raises(LoadError, match=text):
            FrozenRobotsBook.from_bytes(data, **options)
        with pytest.raises(LoadError, match=text):
            decide_warc(FIXTURE, frozen, **options)
        with pytest.raises(LoadError):
            captures(FIXTURE, **options).merge(book)
    with pytest.raises(LoadError, match="version 3 of the format, and this is version 2"):
        RobotsBook.from_bytes(data[:12] + (3).to_bytes(4, "little") + data[16:])
    for at in range(0, len(data), 41):
        damaged = bytearray(data)
        damaged[at] ^= 1
        with pytest.raises(LoadError):
            RobotsBook.from_bytes(damaged)
        with pytest.raises(LoadError):
            FrozenRobotsBook.from_bytes(data[:at])
    with pytest.raises(LoadError, match="not a book"):
        RobotsBook.from_bytes(b"")
    with pytest.raises(TypeError):
        RobotsBook.from_bytes("text")
    with pytest.raises(TypeError):
        decide_warc(FIXTURE, book)
    with pytest.raises(AgentError):
        captures(FIXTURE, agents="Mozilla/5.0 (compatible; ExampleBot/1.0)")
    with pytest.raises(InputError):
        captures([])
    with pytest.raises(InputError):
        captures(FIXTURE, agents=[])


def test_a_profile_of_ones_own_is_in_the_bytes():
    profile = Profile.from_toml('name = "own"\nbased-on = "google"\n[[robots]]\nname = "OwnBot"\nor = ["Googlebot"]\n')
    book = captures(FIXTURE, profiles=profile)
    assert pickle.loads(pickle.dumps(book)).robots == [("OwnBot", profile)]
    same_name = Profile.from_toml('name = "own"\nbased-on = "google"\n[[robots]]\nname = "OwnBot"\n')
    with pytest.raises(LoadError, match="another OwnBot under own"):
        RobotsBook.from_bytes(book.to_bytes(), profiles=same_name)


def test_archives_that_cannot_be_read_and_damage(tmp_path):
    with pytest.raises(ArchiveError, match="missing.warc"):
        captures(tmp_path / "missing.warc")
    page = tmp_path / "page.warc.gz"
    page.write_bytes(b"<title>A page</title>")
    with pytest.raises(ArchiveError, match="page.warc.gz"):
        captures(page)
    with pytest.warns(ArchiveWarning), pytest.raises(ArchiveError, match="<BytesIO>"):
        captures(io.BytesIO(b"<title>A page</title>"))
    with pytest.warns(ArchiveWarning, match="truncated"):
        captures(io.BytesIO(FIXTURE.read_bytes()[:-300]))

    class Failing:
        file = FIXTURE.open("rb")

        def read(self, size):
            if self.file.tell() > 10_000:
                raise TimeoutError("lost")
            return self.file.read(5_000)

    with pytest.warns(ArchiveWarning, match="lost"), pytest.raises(TimeoutError, match="lost") as raised:
        captures(Failing(), name="object")
    assert "object" in str(raised.value.__context__)
    Failing.file.close()


def test_folders_of_robots_txt_files(tmp_path):
    (tmp_path / "a.example").mkdir()
    (tmp_path / "a.example" / "robots.txt").write_text("User-agent: *\nDisallow: /x")
    book = captures(tmp_path).freeze()
    assert [book.decide(f"https://a.example/{path}")[0].fetch for path in "xy"] == ["disallow", "allow"]


def test_redirects_into_other_archives():
    first = warc(("http://a.example/robots.txt", 1, 302, "Location: /rules", ""))
    second = warc(("http://a.example/rules", 1, 200, "", "User-agent: *\nDisallow: /x"))
    book = captures(io.BytesIO(first))
    book.merge(captures(io.BytesIO(second)))
    assert book.missing_targets == ["http://a.example/rules"]
    assert book.freeze().decide("http://a.example/x")[0].fetch == "unknown"
    for data in (first, second):
        book.merge(captures(io.BytesIO(data), urls=book.missing_targets))
    assert book.missing_targets == []
    assert book.freeze().decide("http://a.example/x")[0].fetch == "disallow"


def test_pages_that_are_not_in_archives():
    book = captures(FIXTURE, agents=["Googlebot", "GPTBot"]).freeze()
    for page in iter_decisions(FIXTURE, agents="Googlebot", robots=FIXTURE):
        fetch, other = (decision.fetch for decision in book.decide(page.decision.url))
        assert fetch == page.decision.fetch
    decision = book.decide(
        "http://a.example/", b"<meta name=robots content=noindex>", headers={"X-Robots-Tag": "nofollow"}, status=200, captured_at=AT, at=AT
    )[1]
    assert (decision.agent, decision.fetch, decision.index, decision.follow) == ("GPTBot", "unknown", "no", "no")
    assert book.decide("not a URL")[0].fetch == "unknown"
    with pytest.raises(InputError):
        book.decide("http://a.example/", b"", not_html=True)
    assert Policy("Googlebot").decide("not a URL").fetch == "unknown"


def decide_part(book, urls):
    return [decision.fetch.value for url in urls for decision in book.decide(url)]


def test_threads_and_processes_share_a_book():
    book = book_of(FIXTURE).freeze()
    urls = [page.decision.url for page in iter_decisions(FIXTURE)]
    expected = decide_part(book, urls)
    assert "disallow" in expected and "allow" in expected
    fresh = FrozenRobotsBook.from_bytes(book.to_bytes())
    with ThreadPoolExecutor(8) as pool:
        assert all(part == expected for part in pool.map(lambda _: decide_part(fresh, urls), range(32)))
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert pool.submit(decide_part, book, urls).result() == expected
    runs = [decide_warc(FIXTURE, fresh, limit=5) for _ in range(4)]
    assert len({tuple(page.decision.url for page in run) for run in runs}) == 1


def test_a_signal_ends_the_reading_of_captures():
    import signal

    class Endless:
        reads = 0

        def read(self, size):
            self.reads += 1
            time.sleep(0.001)
            return warc(("http://a.example/", 1, 200, "", "")) * 20

    file = Endless()
    former = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            captures(file)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)
    for _ in range(100):
        reads = file.reads
        time.sleep(0.05)
        if file.reads == reads:
            return
    pytest.fail(f"the thread still reads: {threading.active_count()}")
