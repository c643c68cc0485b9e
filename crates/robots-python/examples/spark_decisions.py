"""Decisions about a crawl in the layout of Common Crawl, on Spark:

    spark-submit spark_decisions.py --robots robotstxt.paths.gz --pages warc.paths.gz --base s3://commoncrawl/ --agent GPTBot --out DECISIONS

The lists have a path in each line. DECISIONS is a new folder, for robots.parquet, decisions.parquet and errors.parquet.
"""

import argparse
import gzip
from pathlib import Path

from pyspark.sql import SparkSession

from robots_policy.spark import decide, write_robots


def listed(file: str, base: str, first: int | None) -> list[str]:
    """Returns the paths in a list, each after the base."""
    data = Path(file).read_bytes()
    text = (gzip.decompress(data) if file.endswith(".gz") else data).decode()
    return [base + line for line in text.split()[:first]]


def main() -> None:
    parser = argparse.ArgumentParser(description="Decide about a crawl on Spark")
    parser.add_argument("--robots", required=True, metavar="LIST", help="Read robots.txt files from these archives")
    parser.add_argument("--pages", required=True, metavar="LIST", help="Decide about the pages of these archives")
    parser.add_argument("--base", default="", metavar="PREFIX", help="Put PREFIX before each path")
    parser.add_argument("--first", type=int, metavar="N", help="Read only the first N archives of each list")
    parser.add_argument("--agent", action="append", metavar="NAME", help="Decide for this robot; may be repeated")
    parser.add_argument("--profile", default="neutral", metavar="NAME", help="Decide under this profile")
    parser.add_argument("--out", required=True, metavar="FOLDER", help="Write to this new folder")
    options = parser.parse_args()

    spark = SparkSession.builder.appName("robots-policy").getOrCreate()
    robots = write_robots(spark, listed(options.robots, options.base, options.first), f"{options.out}/robots.parquet")
    pages = listed(options.pages, options.base, options.first)
    # Archives of robots.txt files that could not be read are in errors.parquet, too.
    read = robots.where("error is null")
    decisions = decide(spark, pages, read, agents=options.agent, profiles=options.profile)
    decisions.write.parquet(f"{options.out}/decisions.parquet")
    written = spark.read.parquet(f"{options.out}/decisions.parquet")
    columns = ["file", "error"]
    errors = written.select(columns).union(robots.selectExpr("file", "coalesce(error, warning)"))
    errors.where("error is not null").write.parquet(f"{options.out}/errors.parquet")
    spark.stop()


if __name__ == "__main__":
    main()
