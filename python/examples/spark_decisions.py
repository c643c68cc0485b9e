"""Decisions about a crawl in the layout of Common Crawl, on Spark:

    spark-submit spark_decisions.py --robots robotstxt.paths.gz --pages warc.paths.gz --base s3://commoncrawl/ --agent GPTBot --out DECISIONS

The lists have a path in each line. In place of --pages, --index reads a columnar index, as Parquet, and decides about the records that
pass --where, such as "url_host_registered_domain = 'example.com'". DECISIONS is a new folder, for robots.parquet, decisions.parquet and errors.parquet.
"""

import argparse

from pyspark.sql import SparkSession

from robots_policy.spark import decide, listed_paths, write_robots


def main() -> None:
    parser = argparse.ArgumentParser(description="Decide about a crawl on Spark")
    parser.add_argument("--robots", required=True, metavar="LIST", help="Read robots.txt files from these archives")
    pages = parser.add_mutually_exclusive_group(required=True)
    pages.add_argument("--pages", metavar="LIST", help="Decide about the pages of these archives")
    pages.add_argument("--index", metavar="PARQUET", help="Decide about the pages that this index lists")
    parser.add_argument("--where", default="true", metavar="SQL", help="Decide only about these entries of the index")
    parser.add_argument("--base", default="", metavar="PREFIX", help="Put PREFIX before each path")
    parser.add_argument("--first", type=int, metavar="N", help="Read only the first N archives of each list")
    parser.add_argument("--agent", action="append", metavar="NAME", help="Decide for this robot; may be repeated")
    parser.add_argument("--profile", metavar="NAME", help="Decide under this profile, not under that of each robot's operator")
    parser.add_argument("--out", required=True, metavar="FOLDER", help="Write to this new folder")
    options = parser.parse_args()

    spark = SparkSession.builder.appName("robots-policy").getOrCreate()
    archives = [options.base + path for path in listed_paths(options.robots)[: options.first]]
    robots = write_robots(spark, archives, f"{options.out}/robots.parquet")
    if options.index:
        pages = spark.read.parquet(options.index).where(options.where)
    else:
        pages = listed_paths(options.pages)[: options.first]
    # Archives of robots.txt files that could not be read are in errors.parquet, too.
    read = robots.where("error is null")
    decisions = decide(spark, pages, read, agents=options.agent, profiles=options.profile, base=options.base)
    decisions.write.parquet(f"{options.out}/decisions.parquet")
    written = spark.read.parquet(f"{options.out}/decisions.parquet")
    columns = ["file", "error"]
    errors = written.select(columns).union(robots.selectExpr("file", "coalesce(error, warning)"))
    errors.where("error is not null").write.parquet(f"{options.out}/errors.parquet")
    spark.stop()


if __name__ == "__main__":
    main()
