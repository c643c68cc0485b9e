"""CPU time of reading the robots.txt captures of an archive, beside decisions and reading alone: python bench/python/captures.py CRAWL.warc.gz [ROUNDS]

The records of the crawl without its robots.txt files, packed and plain, and the crawl with an index of these. With ROBOTS_BENCH, the path of
`robots-bench`, its reader of records, too. One thread; the least of ROUNDS (15), in turns.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "python" / "tests"))

import pyarrow as pa
from spark_archives import is_robots, members

from robots_policy import captures, decide_warc_batches, records

AT = 1_790_000_000


def cpu(work):
    start = time.process_time()
    work()
    return time.process_time() - start


def cpu_of_process(*command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def read(batches):
    for batch in batches:
        pa.record_batch(batch)


def passes(crawl, folder):
    """Returns the measurements by name."""
    pages = {"packed": folder / "pages.warc.gz", "plain": folder / "pages.warc"}
    with pages["packed"].open("wb") as packed, pages["plain"].open("wb") as plain:
        for member, record in members(Path(crawl).read_bytes()):
            if not is_robots(record):
                packed.write(member)
                plain.write(record)
    book = captures(crawl, agents=["Googlebot"], profiles="google", threads=1).freeze()
    work = {}
    for kind, path in (*((kind, str(path)) for kind, path in pages.items()), ("packed, with robots.txt files", crawl)):
        work[f"{kind}: decisions"] = lambda path=path: cpu(lambda: read(decide_warc_batches(path, book, at=AT, threads=1)))
        work[f"{kind}: captures"] = lambda path=path: cpu(lambda: captures(path, profiles="google", threads=1))
        if "ROBOTS_BENCH" in os.environ:
            work[f"{kind}: unpacking and splitting"] = lambda path=path: cpu_of_process(os.environ["ROBOTS_BENCH"], "split", path)
    columns = ["offset", "length", "target_uri", "type"]
    rows = [row for batch in records(crawl, columns=columns) for row in pa.record_batch(batch).to_pylist()]
    files = [row for row in rows if row["type"] == "response" and row["target_uri"].endswith("/robots.txt")]
    ranges = [(row["offset"], row["length"]) for row in files]
    columns = ["target_uri", "date", "status", "content_type", "payload"]
    work[f"{len(ranges)} robots.txt records that an index lists"] = lambda: cpu(lambda: read(records(crawl, columns=columns, ranges=ranges)))
    return work


def main():
    warnings.simplefilter("ignore")
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 15
    with tempfile.TemporaryDirectory() as folder:
        work = passes(sys.argv[1], Path(folder))
        least = dict.fromkeys(work, float("inf"))
        for _ in range(rounds):
            for name, measured in work.items():
                least[name] = min(least[name], measured())
    for name, seconds in least.items():
        print(f"{seconds:.4f} s {name}")


if __name__ == "__main__":
    main()
