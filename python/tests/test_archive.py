"""Decisions about archives."""

import gc
import gzip
import json
import os
import subprocess
import threading
import time
import warnings
from pathlib import Path

import pytest

from robots_policy import ArchiveError, ArchiveWarning, InputError, ProfileError, iter_decisions

ROOT = Path(__file__).resolve().parents[2]
FIXTURE = ROOT / "tests" / "fixtures" / "crawl.warc.gz"
CORPUS = Path(os.environ.get("ROBOTS_CORPUS", ROOT.parent / "shared")) / "corpus"
PROGRAM = Path(os.environ.get("ROBOTS_PROGRAM", ROOT / "target" / "debug" / "robots"))
AT = 1_790_000_000


def archives():
    """Returns the archives that are compared with the program: the fixture, and a real crawl where it is present."""
    return [path for path in (FIXTURE, CORPUS / "crawl.warc.gz") if path.exists()]


@pytest.mark.skipif(not PROGRAM.exists(), reason=f"the program is not built: {PROGRAM}")
@pytest.mark.parametrize("archive", archives(), ids=lambda path: path.parent.name)
@pytest.mark.parametrize("profile", ["neutral", "google", "bing", "yandex"])
def test_decisions_are_those_of_the_program(archive, profile):
    command = [PROGRAM, "decide", "--json", "--explain", "--profile", profile, "--agent", "Googlebot", "--agent", "GPTBot"]
    command += ["--now", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(AT)), archive]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    expected = [json.loads(line) for line in run.stdout.splitlines()]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ArchiveWarning)
        pages = iter_decisions(archive, agents=["Googlebot", "GPTBot"], profiles=profile, at=AT)
        assert pages.summary_json is None
        rows = [page.to_dict() for page in pages]
    assert len(rows) == len(expected) > 20
    for row, other in zip(rows, expected, strict=True):
        assert row == other
    assert json.loads(pages.summary_json)["pages"] * 2 == len(rows)


def test_options():
    rows = list(iter_decisions([FIXTURE], threads=1))
    assert [page.decision.agent for page in rows] == ["*"] * len(rows)
    assert list(iter_decisions(iter([str(FIXTURE)]), limit=3, reasons=False))[2].offset == rows[2].offset
    assert len(list(iter_decisions(FIXTURE, all_types=True))) > len(rows)
    assert rows[0].file == str(FIXTURE) and rows[0].status == 200 and "ArchivedPage in" in repr(rows[0])
    pages = ROOT / "tests" / "fixtures" / "sites" / "joes-hardware" / "pages"
    assert [page.offset for page in iter_decisions(pages, limit=2)] == [None, None]
    assert list(iter_decisions(FIXTURE, robots=FIXTURE, limit=1))[0].decision.fetch == rows[0].decision.fetch
    with pytest.raises(InputError, match="no inputs"):
        iter_decisions([])
    with pytest.raises(InputError, match="no robots: pass a path"):
        iter_decisions(FIXTURE, robots=[])
    with pytest.raises(ProfileError):
        iter_decisions(FIXTURE, profiles=["neutral", "gogle"])
    with pytest.raises(InputError, match="no robots"):
        iter_decisions(FIXTURE, agents=[])
    with pytest.raises(TypeError):
        iter_decisions(7)


def test_inputs_that_cannot_be_read_are_errors_after_the_others(tmp_path):
    missing = tmp_path / "missing.warc.gz"
    pages = iter_decisions([missing, FIXTURE], threads=2)
    rows = []
    with pytest.warns(ArchiveWarning, match="missing.warc.gz"), pytest.raises(ArchiveError, match="missing.warc.gz"):
        for page in pages:
            rows.append(page)
    assert len(rows) > 20
    assert list(pages) == [] and "missing.warc.gz" in json.loads(pages.summary_json)["failed_inputs"][0]


def test_a_page_of_a_folder_that_cannot_be_read_is_an_error_at_the_end(tmp_path):
    (tmp_path / "a.html").write_text("<p>")
    (tmp_path / "b.html").symlink_to("nowhere")
    pages = iter_decisions(tmp_path)
    rows = []
    with pytest.warns(ArchiveWarning, match="b.html"), pytest.raises(ArchiveError, match="cannot be read: 1"):
        for page in pages:
            rows.append(page)
    assert len(rows) == 1
    assert json.loads(pages.summary_json)["skipped"] == {"unreadable": 1}


def test_damage_is_a_warning(tmp_path):
    data = bytearray(gzip.decompress(FIXTURE.read_bytes()))
    # The first records of this archive have a length that is not a number.
    damaged = tmp_path / "damaged.warc"
    damaged.write_bytes(bytes(data).replace(b"Content-Length: ", b"Content-Length: x", 30))
    with pytest.warns(ArchiveWarning) as caught:
        try:
            list(iter_decisions(damaged, threads=1))
        except ArchiveError:
            pass
    texts = [str(warning.message) for warning in caught]
    assert len(texts) <= 12 and str(damaged) in texts[0]
    assert any("more" in text for text in texts)


def test_a_dropped_iterator_stops_its_thread():
    before = threading.active_count(), len(os.listdir("/proc/self/task")) if os.path.exists("/proc") else 0
    for _ in range(20):
        next(iter_decisions(FIXTURE, agents=[f"Bot{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]))
    gc.collect()
    for _ in range(100):
        if not os.path.exists("/proc") or len(os.listdir("/proc/self/task")) <= before[1]:
            return
        time.sleep(0.05)
    pytest.fail("threads are left")
