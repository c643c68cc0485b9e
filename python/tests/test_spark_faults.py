"""Faults of a job on Spark: tables that cannot be read, and tasks that are killed as they need too much memory."""

import os
from pathlib import Path

import pytest

pytest.importorskip("pyspark")

from spark_rows import AT, of_frame, of_program
from spark_sessions import archives, fresh  # fixtures
from test_program import PROGRAM

import robots_policy
from robots_policy import spark

AGENTS = ["Googlebot", "GPTBot"]

pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason=f"the program is not built: {PROGRAM}")

#: A module that Python imports when it starts. It limits the memory of one process, the first that makes the marker.
LIMITED_ONCE = """
import os, resource, sys
if "pyspark.worker" in sys.orig_argv:
    try:
        os.close(os.open(os.environ["LIMITED_ONCE"], os.O_CREAT | os.O_EXCL))
        limit = int(os.environ["LIMIT_BYTES"])
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    except FileExistsError:
        pass
"""

#: Options by which a process without memory ends. CPython looks for the handler of a MemoryError again and again if it cannot
#: allocate an integer for it (`exception_unwind` in ceval.c).
ENDS_WITHOUT_MEMORY = {"spark.python.worker.idleTimeoutSeconds": "10", "spark.python.worker.killOnIdleTimeout": "true"}


@pytest.fixture
def started(tmp_path, monkeypatch):
    """Returns a function that starts a session, which is stopped at the end."""
    sessions = []
    before = dict(os.environ)

    def start(environment=None, **options):
        sessions.append(fresh(tmp_path / "warehouse", "local[2,4]", environment, **options))
        return sessions[0]

    yield start
    for session in sessions:
        session.stop()
    os.environ.clear()
    os.environ.update(before)


def decide(session, archives, table):
    return spark.decide(session, archives[0], table, agents=AGENTS, profiles="google", at=AT, explain=True)


def test_a_truncated_table_of_robots_txt_files_is_an_error(started, archives, tmp_path):
    session = started()
    folder = tmp_path / "robots.parquet"
    spark.write_robots(session, archives[1], str(folder))
    part = max(folder.glob("*.parquet"), key=lambda path: path.stat().st_size)
    data = part.read_bytes()
    for size in (len(data) - 9, len(data) // 2):
        part.write_bytes(data[:size])
        # Spark checks the files that it knows by their checksums, and Parquet by its footer.
        for checksum in folder.glob(".*.crc"):
            checksum.unlink()
        with pytest.raises(Exception, match=part.name):
            decide(session, archives, session.read.schema(spark.robots(session, []).schema).parquet(str(folder)))
    part.write_bytes(data)
    assert of_frame(decide(session, archives, session.read.parquet(str(folder)))) == of_program(*archives, AGENTS, ["google"])


def test_a_task_that_is_killed_for_memory_is_repeated(started, archives, tmp_path):
    marker, hook = tmp_path / "limited", tmp_path / "hook"
    hook.mkdir()
    (hook / "sitecustomize.py").write_text(LIMITED_ONCE)
    package = str(Path(robots_policy.__file__).parents[1])
    environment = {"PYTHONPATH": f"{hook}{os.pathsep}{package}", "LIMITED_ONCE": str(marker), "LIMIT_BYTES": str(60 << 20)}
    session = started(environment, **{"spark.python.use.daemon": "false"}, **ENDS_WITHOUT_MEMORY)
    table = spark.robots(session, archives[1]).persist()
    table.count()
    # From now on, the next process is limited.
    marker.unlink(missing_ok=True)
    assert of_frame(decide(session, archives, table)) == of_program(*archives, AGENTS, ["google"])
    assert marker.exists()
    tracker = session.sparkContext.statusTracker()
    stages = [stage for job in tracker.getJobIdsForGroup() for stage in tracker.getJobInfo(job).stageIds]
    infos = [tracker.getStageInfo(stage) for stage in stages]
    assert sum(info.numFailedTasks for info in infos if info) >= 1, "no task was killed"


def test_a_job_whose_tasks_never_have_enough_memory_fails(started, archives, tmp_path):
    session = started(**{"spark.executor.pyspark.memory": "2m"}, **ENDS_WITHOUT_MEMORY)
    with pytest.raises(Exception, match="(?i)memory|crashed|exited|terminated"):
        spark.robots(session, archives[1]).write.parquet(str(tmp_path / "robots.parquet"))
    assert not list((tmp_path / "robots.parquet").glob("*.parquet")), "nothing was written"
