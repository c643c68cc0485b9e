"""CPU time of passes on a standalone cluster of Spark, beside the same work in this process: python bench/python/spark.py CRAWL.warc.gz [FILES]

Splits the records of a crawl into one archive of pages and one of robots.txt files, makes FILES (16) names for each, and decides the
archives with two workers of one core. CPU time is that of all processes: driver, master, workers, executors and Python.
"""

import os
import resource
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "python" / "tests"))

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import SparkSession
from spark_archives import split
from spark_cluster import Cluster, packed

import robots_policy
from robots_policy import captures, decide_warc_batches, read_pages, spark

AT = 1_790_000_000
AGENTS = ["Googlebot"]
TICKS = os.sysconf("SC_CLK_TCK")


def processes():
    """Returns the statistics of this process and its descendants, by process id: parent, CPU seconds, name."""
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            text = (entry / "stat").read_text()
            command = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        fields = text.rsplit(")", 1)[1].split()
        found[int(entry.name)] = (int(fields[1]), sum(map(int, fields[11:15])) / TICKS, command)
    ours = {os.getpid()}
    while True:
        more = {pid for pid, (parent, _, _) in found.items() if parent in ours} - ours
        if not more:
            return {pid: found[pid] for pid in ours if pid in found}
        ours |= more


def cpu():
    return sum(seconds for _, seconds, _ in processes().values())


def worker_memory():
    """Returns the largest resident size that a Python worker has had, in MB."""
    sizes = [0]
    for pid, (_, _, command) in processes().items():
        if b"pyspark.daemon" in command:
            status = Path(f"/proc/{pid}/status").read_text()
            sizes += [int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM:")]
    return max(sizes)


def timed(name, work):
    started, used = time.perf_counter(), cpu()
    rows = work()
    print(f"{name}: {cpu() - used:.1f} s of CPU, {time.perf_counter() - started:.1f} s, {rows} rows, worker {worker_memory():.0f} MB", flush=True)


def alone(pages, robots):
    """Does the work in this process, with one thread."""

    def used():
        usage = resource.getrusage(resource.RUSAGE_SELF)
        return usage.ru_utime + usage.ru_stime

    started = used()
    for path in robots:
        captures(path, profiles="google", threads=1, on_warning=lambda _: None)
    print(f"one process, captures of the robots.txt archives: {used() - started:.2f} s of CPU")
    started = used()
    for path in pages:
        captures(path, profiles="google", threads=1, on_warning=lambda _: None)
    print(f"one process, captures of the archives of pages: {used() - started:.2f} s of CPU")
    book = captures(robots, agents=AGENTS, profiles="google", on_warning=lambda _: None).freeze()
    started, rows = used(), 0
    for path in pages:
        batches = decide_warc_batches(path, book, at=AT, threads=1, on_warning=lambda _: None)
        rows += sum(len(batch) for batch in batches)
    print(f"one process, decisions: {used() - started:.2f} s of CPU, {rows} rows", flush=True)
    started, rows, size = used(), 0, 0
    for path in pages:
        for batch in read_pages(path, agents=AGENTS, profiles="google", threads=1, on_warning=lambda _: None):
            facts = pa.record_batch(batch).column("facts")
            rows, size = rows + len(facts), size + pc.sum(pc.binary_length(facts)).as_py()
    print(f"one process, facts of pages: {used() - started:.2f} s of CPU, {rows} pages, {size / rows:.0f} bytes each", flush=True)


def shuffle_bytes(session):
    """Returns the bytes that the stages of a session have written for others."""
    store = session.sparkContext._jsc.sc().statusStore()
    return sum(executor.totalShuffleWrite() for executor in session.sparkContext._jvm.scala.jdk.javaapi.CollectionConverters.asJava(store.executorList(False)))


def main():
    files = int(sys.argv[2]) if len(sys.argv) > 2 else 16
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (page,), (robot,) = split(sys.argv[1], folder / "archives", pages=1, robots=1)
        links = {}
        for kind, path in (("pages", page), ("robotstxt", robot)):
            links[kind] = [str(folder / f"{kind}-{number:05}.warc.gz") for number in range(files)]
            for link in links[kind]:
                os.link(path, link)
        pages, robots = links["pages"], links["robotstxt"]
        alone(pages, robots)
        started = cpu()
        cluster = Cluster(folder)
        try:
            os.environ["PYSPARK_PYTHON"] = sys.executable
            builder = SparkSession.builder.master(cluster.url)
            options = {
                "spark.archives": f"{packed(Path(robots_policy.__file__).parent, folder / 'pylib.tar.gz')}#pylib",
                "spark.executorEnv.PYTHONPATH": "pylib",
                "spark.driver.bindAddress": "127.0.0.1",
                "spark.driver.host": "127.0.0.1",
                "spark.ui.enabled": "false",
                "spark.executor.memory": "512m",
            }
            for option, value in options.items():
                builder = builder.config(option, value)
            session = builder.getOrCreate()
            session.range(2).mapInArrow(lambda batches: batches, "id bigint").count()
            print(f"starting the cluster, and a first job: {cpu() - started:.1f} s of CPU", flush=True)

            def read_robots(run):
                return spark.write_robots(session, robots, str(folder / f"robots{run}.parquet")).count()

            def decided(run, join):
                table = session.read.parquet(str(folder / "robots0.parquet"))
                decisions = spark.decide(session, pages, table, agents=AGENTS, profiles="google", at=AT, join=join)
                decisions.write.parquet(str(folder / f"{join}{run}.parquet"))
                return session.read.parquet(str(folder / f"{join}{run}.parquet")).where("error is null").count()

            def read_records(run):
                records = session.read.format("warc").option("columns", "type,status,mime_type,target_uri").load(pages)
                return records.where("type = 'response' and status = 200 and mime_type = 'text/html'").count()

            for run in range(3):
                timed(f"robots.txt, run {run}", lambda: read_robots(run))
            for run in range(4):
                timed(f"decisions by a broadcast, run {run}", lambda: decided(run, "broadcast"))
                before = shuffle_bytes(session)
                timed(f"decisions by a shuffle, run {run}", lambda: decided(run, "shuffle"))
                print(f"written for the shuffle: {shuffle_bytes(session) - before} bytes", flush=True)
            spark.register(session)
            for run in range(2):
                timed(f"records of type, status and MIME type, run {run}", lambda: read_records(run))
            for name in ("robots0", "broadcast0"):
                written = sum(path.stat().st_size for path in (folder / f"{name}.parquet").glob("*.parquet"))
                rows = session.read.parquet(str(folder / f"{name}.parquet")).count()
                print(f"{name}.parquet: {written} bytes, {rows} rows")
            session.stop()
        finally:
            cluster.stop()


if __name__ == "__main__":
    main()
