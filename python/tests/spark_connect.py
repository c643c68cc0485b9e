"""A job on Spark Connect: python spark_connect.py FOLDER PAGES ROBOTS. Prints the rows of decisions as JSON, first those of `decide_table`."""

import json
import sys
from pathlib import Path

from pyspark.sql import SparkSession
from spark_rows import AT

from robots_policy import spark

folder, pages, robots = sys.argv[1:]
session = SparkSession.builder.remote("local[2]").getOrCreate()
table = spark.write_robots(session, robots, str(Path(folder) / "robots.parquet"))
options = {"agents": ["Googlebot", "GPTBot"], "profiles": "google", "at": AT}
records = spark.records(session, pages, types="response", mime_types=["text/html", "application/xhtml+xml"]).drop("error")
names = {"url": "target_uri", "html": "payload", "fetched_at": "date"}
frames = [spark.decide_table(records, table, keep="file", fields=["url", "agent", "fetch", "index"], **names, **options)]
frames += [spark.decide(session, pages, table, fields=["file", "url", "agent", "fetch", "index"], join=join, **options) for join in ("broadcast", "shuffle")]
print(json.dumps([sorted(map(list, frame.collect()), key=str) for frame in frames]))
session.stop()
