"""Decisions about a dataset of Ray Data: python ray_decisions.py PAGES.parquet DECISIONS

PAGES.parquet has the columns `url` and `html`, and others that decide_frame reads, such as `robots_txt`. DECISIONS is a
folder for Parquet files with a row for each page and robot.
"""

import sys

import pyarrow as pa
import ray

from robots_policy import decide_frame


def decide(pages: pa.Table) -> pa.Table:
    """Decides about a block of pages: a row for each page and robot."""
    return decide_frame(pages, agents=["Googlebot", "GPTBot"], profiles="google", keep="url")


def decisions(pages: ray.data.Dataset) -> ray.data.Dataset:
    return pages.map_batches(decide, batch_format="pyarrow")


if __name__ == "__main__":
    decisions(ray.data.read_parquet(sys.argv[1])).write_parquet(sys.argv[2])
