"""Decisions about the pages of a crawl in frames: rows for a second of CPU time, of all threads.

Needs robots-policy, pyarrow, pandas, Polars and DuckDB. Reads the HTML pages of a WARC file four times into a frame of each library, and
prints the maximum of rounds in turns for `decide_stream`, `decide_frame` and the library's own conversion to Arrow.

    python bench/python/frames.py crawl.warc.gz [ROUNDS]
"""

import sys
import time

import duckdb
import pandas
import polars
import pyarrow as pa

from robots_policy import Policy, decide_frame, decide_stream, records


def main(path, rounds=5):
    pages = pa.table(records(path, columns=["target_uri", "payload"], types="response", mime_types="text/html"))
    robots = pa.array(["User-agent: *\nDisallow: /x"] * len(pages))
    pages = pa.table({"url": pages["target_uri"], "html": pages["payload"], "robots_txt": robots})
    pages = pa.concat_tables([pages] * 4).combine_chunks()
    connection = duckdb.connect()
    connection.execute("create table pages_table as select * from pages")
    frames = {"pyarrow": pages, "Polars": polars.DataFrame(pages), "pandas": pages.to_pandas(), "DuckDB": connection.table("pages_table")}
    policy = Policy("Googlebot")
    works = {
        "decide_stream": lambda frame: list(decide_stream(frame, policies=policy)),
        "decide_frame": lambda frame: decide_frame(frame, policies=policy, keep="url"),
        "to Arrow": lambda frame: list(pa.RecordBatchReader.from_stream(frame)),
    }
    least = {(name, work): float("inf") for name in frames for work in works}
    for _ in range(int(rounds)):
        for name, work in least:
            begin = time.process_time()
            result = works[work](frames[name])
            least[name, work] = min(least[name, work], time.process_time() - begin)
            del result
    print(f"{len(pages)} rows of {pages.nbytes // len(pages)} bytes\n\n| frame | {' | '.join(works)} |\n|{' --- |' * (len(works) + 1)}")
    for name in frames:
        print(f"| {name} | {' | '.join(f'{len(pages) / least[name, work]:,.0f}' for work in works)} |")


if __name__ == "__main__":
    main(*sys.argv[1:])
