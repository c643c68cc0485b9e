"""Decisions about the pages of a crawl as Arrow batches, with `decide_batch` of the package robots-policy.

Needs robots-policy, pyarrow and fastwarc. Reads the pages of a WARC file into one batch, each with the robots.txt of
its site, and prints a table: microseconds of CPU time a page and pages a second, the minimum of rounds in turns. Then
the time in which two threads decide the batch five times each, compared with that of one thread, and the same for a hash
of the standard library. Policies are kept, as
in a stream, so they keep compiled rules, except where a row says otherwise.

    python bench/python/batches.py crawl.warc.gz [ROUNDS]
"""

import sys
import threading
import time
from hashlib import sha256
from urllib.parse import urlsplit

import pyarrow as pa
from fastwarc.warc import ArchiveIterator, WarcRecordType

from robots_policy import Policy, decide_batch

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
    sites = len(set(pages.column("robots_txt").to_pylist()))
    print(f"{pages.num_rows} pages, {pages.nbytes} bytes, {sites} different robots.txt")
    views = pages.set_column(1, "html", pages.column("html").cast(pa.binary_view()))
    policies = {profile: Policy("Googlebot", profile) for profile in ("neutral", "google")}
    bare = {profile: Policy("Googlebot", profile, reasons=False) for profile in policies}
    learned = Policy("Googlebot")
    for page in pages.select(["url", "robots_txt", "robots_status"]).to_pylist():
        if page["robots_status"]:
            learned.learn(page["url"], page["robots_txt"], status=page["robots_status"])
    forms = {
        "neutral": (pages, {"policies": policies["neutral"]}),
        "google": (pages, {"policies": policies["google"]}),
        "neutral, without reasons": (pages, {"policies": bare["neutral"]}),
        "google, without reasons": (pages, {"policies": bare["google"]}),
        "neutral, html as views": (views, {"policies": policies["neutral"]}),
        "neutral and google": (pages, {"policies": list(policies.values())}),
        "neutral, robots.txt learned before": (pages.drop_columns(["robots_txt", "robots_status"]), {"policies": learned}),
        "neutral, a new policy for each call": (pages, {"profiles": "neutral"}),
        "google, a new policy for each call": (pages, {"profiles": "google"}),
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
    print("\n| work of a thread | one thread | two threads, twice the work | ratio |\n| --- | --- | --- | --- |")
    data = bytes(8_000_000)

    def decide(profile):
        return lambda: [decide_batch(pages, policies=policies[profile]) for _ in range(5)]

    # The last one shows what the machine allows: hashing releases the GIL, too.
    works = {"neutral": decide("neutral"), "google": decide("google"), "sha256": lambda: [sha256(data) for _ in range(5)]}
    least = {name: [float("inf")] * 2 for name in works}
    for _ in range(int(rounds)):
        for name, work in works.items():
            least[name] = [min(least[name][0], wall(1, work)), min(least[name][1], wall(2, work))]
    for name, (one, two) in least.items():
        print(f"| {name} | {one * 1e3:.1f} ms | {two * 1e3:.1f} ms | {2 * one / two:.2f} |")


main(*sys.argv[1:])
