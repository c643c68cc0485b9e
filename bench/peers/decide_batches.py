"""Decisions about the pages of a crawl as Arrow batches, with `decide_batch` of the package robots-policy.

Needs robots-policy, pyarrow and fastwarc. Reads the pages of a WARC file into one batch, each with the robots.txt of
its site, and prints a table: microseconds of CPU time a row and rows a second for each profile, the minimum of rounds
in turns; then the time of two threads, each with its own batch, compared with one thread.

    python bench/peers/decide_batches.py crawl.warc.gz [ROUNDS]
"""

import sys
import threading
import time
from urllib.parse import urlsplit

import pyarrow as pa
from fastwarc.warc import ArchiveIterator, WarcRecordType

from robots_policy import decide_batch

HEADERS = pa.list_(pa.struct([("name", pa.string()), ("value", pa.string())]))


def responses(path):
    """Yields the URL, status, headers, type and decoded body of each response."""
    with open(path, "rb") as file:
        for record in ArchiveIterator(file, record_types=WarcRecordType.response, parse_http=True, auto_decode="all"):
            http = record.http_headers
            if http is None:
                continue
            url = record.headers.get("WARC-Target-URI", "").strip("<>")
            headers = [{"name": name, "value": value} for name, value in http.astuples()]
            yield url, http.status_code, headers, record.http_content_type or "", record.reader.read()


def read(path):
    """Returns the pages of an archive as a batch."""
    robots, pages = {}, []
    for url, status, headers, kind, body in responses(path):
        parts = urlsplit(url)
        if parts.path == "/robots.txt" and not parts.query:
            robots[parts.scheme, parts.netloc] = (status, body)
        elif "html" in kind:
            pages.append((url, status, headers, body, (parts.scheme, parts.netloc)))
    sites = [robots.get(page[4], (None, None)) for page in pages]
    return pa.RecordBatch.from_pydict(
        {
            "url": [page[0] for page in pages],
            "html": pa.array([page[3] for page in pages], pa.binary()),
            "status": [page[1] for page in pages],
            "headers": pa.array([page[2] for page in pages], HEADERS),
            "robots_txt": pa.array([body for _, body in sites], pa.binary()),
            "robots_status": [status for status, _ in sites],
        }
    )


def wall(count, work):
    """Returns the seconds in which this number of threads each do the work."""
    threads = [threading.Thread(target=work) for _ in range(count)]
    begin = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - begin


def main(path, rounds=40):
    pages = read(path)
    print(f"{pages.num_rows} pages, {pages.nbytes} bytes")
    texts = pages.set_column(1, "html", pages.column("html").cast(pa.binary_view()))
    forms = {
        "neutral": (pages, {"profiles": "neutral"}),
        "neutral, without reasons": (pages, {"profiles": "neutral", "reasons": False}),
        "neutral, views": (texts, {"profiles": "neutral"}),
        "google": (pages, {"profiles": "google"}),
        "google, without reasons": (pages, {"profiles": "google", "reasons": False}),
        "neutral and google": (pages, {"profiles": ["neutral", "google"]}),
    }
    least = dict.fromkeys(forms, float("inf"))
    empty = pages.slice(0, 0)
    fixed = float("inf")
    for _ in range(int(rounds)):
        for name, (batch, arguments) in forms.items():
            begin = time.process_time()
            decisions = decide_batch(batch, **arguments)
            least[name] = min(least[name], time.process_time() - begin)
            assert len(decisions) % pages.num_rows == 0
        begin = time.process_time()
        decide_batch(empty)
        fixed = min(fixed, time.process_time() - begin)
    print("| decide_batch | CPU time a page | pages a second |\n| --- | --- | --- |")
    for name, seconds in least.items():
        print(f"| {name} | {seconds / pages.num_rows * 1e6:.2f} us | {pages.num_rows / seconds:.0f} |")
    print(f"\nA call without rows: {fixed * 1e6:.0f} us.")
    print("\n| two threads | one thread | two threads, twice the rows | ratio |\n| --- | --- | --- | --- |")
    for profile in ("neutral", "google"):

        def work(profile=profile):
            for _ in range(5):
                decide_batch(pages, profiles=profile)

        one = two = float("inf")
        for _ in range(int(rounds)):
            one, two = min(one, wall(1, work)), min(two, wall(2, work))
        print(f"| {profile} | {one * 1e3:.1f} ms | {two * 1e3:.1f} ms | {2 * one / two:.2f} |")


main(*sys.argv[1:])
