"""Decisions about archives with Ray Data and Dask have the rows of one process."""

import pytest

pa = pytest.importorskip("pyarrow")

from spark_archives import split
from test_program import FIXTURES

from robots_policy import captures, decide_warc

AT = 1_790_000_000
AGENTS = ["Googlebot", "GPTBot"]
COLUMNS = ["file", "url", "agent", "fetch", "index", "fetch_reason"]


@pytest.fixture
def archives(tmp_path):
    return split(FIXTURES / "crawl.warc.gz", tmp_path / "archives")


def expected(archives):
    pages, robots = archives
    book = captures(robots, agents=AGENTS, profiles="google").freeze()
    rows = [page.to_dict() for page in decide_warc(pages, book, at=AT)]
    assert len(rows) > 40
    return sorted((row["file"], row["url"], row["agent"], row["fetch"], row["index"]) for row in rows)


def compare(table, archives, missing):
    rows = table.to_pylist()
    assert [row["file"] for row in rows if row["error"] is not None] == [missing]
    assert sorted(tuple(row[name] for name in COLUMNS[:-1]) for row in rows if row["error"] is None) == expected(archives)


def test_ray(archives, tmp_path):
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.data")
    from robots_policy.ray import decide, robots

    missing = str(tmp_path / "missing.warc.gz")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        table = robots(archives[1]).materialize()
        decisions = decide([*archives[0], missing], table, agents=AGENTS, profiles="google", at=AT, fields=COLUMNS)
        compare(pa.concat_tables(ray.get(decisions.to_arrow_refs())), archives, missing)
    finally:
        ray.shutdown()


@pytest.mark.parametrize("scheduler", ["threads", "processes"])
def test_dask(archives, tmp_path, scheduler):
    dask = pytest.importorskip("dask")
    pytest.importorskip("dask.dataframe")
    from robots_policy.dask import decide, robots

    missing = str(tmp_path / "missing.warc.gz")
    with dask.config.set(scheduler=scheduler, num_workers=2):
        table = robots(archives[1]).persist()
        decisions = decide([*archives[0], missing], table, agents=AGENTS, profiles="google", at=AT, fields=COLUMNS)
        assert decisions.npartitions == len(archives[0]) + 1
        compare(pa.Table.from_pandas(decisions.compute(), preserve_index=False), archives, missing)
