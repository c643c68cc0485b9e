"""The examples, and the programs of README.md, as their users run them."""

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from test_program import FIXTURES, PROGRAM

PACKAGE = Path(__file__).parents[1]
EXAMPLES = PACKAGE / "examples"
#: The programs of README.md, but for that which needs a session of Spark.
PROGRAMS = [block for block in re.findall(r"```python\n(.*?)```", (PACKAGE / "README.md").read_text("utf-8"), re.S) if "spark" not in block]
CRAWL = FIXTURES / "crawl.warc.gz"


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.splitlines()[0])
def test_the_programs_of_the_readme(program, tmp_path):
    for library in re.findall(r"\b(?:duckdb|pandas|polars|pyarrow)\b", program):
        pytest.importorskip(library)
    shutil.copy(CRAWL, tmp_path)
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True, timeout=60)


def test_the_readme_has_programs():
    assert len(PROGRAMS) >= 8


def test_the_service_decides():
    pytest.importorskip("httpx")
    testclient = pytest.importorskip("fastapi.testclient")
    from fastapi_service import app

    client = testclient.TestClient(app)
    page = {
        "url": "https://example.com/a",
        "html": "<meta name=robots content=noindex>",
        "robots_txt": "User-agent: *\nDisallow: /private",
        "headers": [["X-Robots-Tag", "nofollow"]],
    }
    decision = client.post("/decide", json=page).json()
    assert (decision["fetch"], decision["index"], decision["follow"]) == ("allow", "no", "no")
    assert client.post("/decide", json={**page, "url": "https://example.com/private"}).json()["fetch"] == "disallow"
    for wrong in ({"url": "not a URL"}, {"agent": ""}, {"profile": "gogle"}, {"html": None}):
        response = client.post("/decide", json={**page, **wrong})
        assert response.status_code == 422 and response.json()["detail"], wrong


def test_ray_decides_about_blocks(tmp_path):
    pytest.importorskip("ray.data")
    polars = pytest.importorskip("polars")
    urls = [f"https://example.com/{number}" for number in range(100)]
    html = [b"<meta name=robots content=noindex>" if number % 3 == 0 else b"<p>" for number in range(100)]
    robots = ["User-agent: GPTBot\nDisallow: /1" if number % 2 == 0 else None for number in range(100)]
    pages = tmp_path / "pages.parquet"
    polars.DataFrame({"url": urls, "html": html, "robots_txt": robots}).write_parquet(pages, row_group_size=10)
    command = [sys.executable, EXAMPLES / "ray_decisions.py", pages, tmp_path / "decisions"]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    decisions = polars.read_parquet(tmp_path / "decisions" / "*.parquet")
    assert len(decisions) == 200 and decisions["error"].null_count() == 200
    assert sorted(set(decisions["url"])) == sorted(urls)
    # Of the 50 rows with a robots.txt, 5 have a path that begins with /1 (10 to 18), which GPTBot may not fetch. The other rows are unknown.
    fetch = Counter(zip(decisions["agent"], decisions["fetch"], strict=True))
    assert fetch == {
        ("Googlebot", "allow"): 50,
        ("Googlebot", "unknown"): 50,
        ("GPTBot", "allow"): 45,
        ("GPTBot", "disallow"): 5,
        ("GPTBot", "unknown"): 50,
    }
    noindex = decisions.filter(polars.col("index") == "no")
    assert {int(url.rsplit("/", 1)[1]) % 3 for url in noindex["url"]} == {0} and len(noindex) > 30


@pytest.mark.skipif(not PROGRAM.exists(), reason=f"the program is not built: {PROGRAM}")
def test_trainable_pages_are_those_of_the_program(tmp_path):
    polars = pytest.importorskip("polars")
    table = tmp_path / "pages.parquet"
    command = [sys.executable, EXAMPLES / "trainable_pages.py", table, CRAWL]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    command = [PROGRAM, "decide", "--profile", "google", "--agent", "GPTBot", "--only", "trainable", "--json", CRAWL]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    expected = [json.loads(line)["url"] for line in lines]
    pages = polars.read_parquet(table)
    assert sorted(pages["url"]) == sorted(expected) and len(expected) > 5
    assert f"yes        {len(expected)}\n" in printed
