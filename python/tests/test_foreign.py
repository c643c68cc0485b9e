"""The tests of Protego and Scrapy, run on the classes of this package.

They are in the source packages of both, which `.ci/python` downloads and unpacks in target/foreign. Elsewhere these tests
are skipped.
"""

import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
FOREIGN = Path(os.environ.get("FOREIGN_PACKAGES", HERE.parent / "target" / "foreign"))

NAMES = "the name of a group is the robot's name, not the beginning of a word in it (RFC 9309, 2.2.1)"
FIELDS = "fields without a colon and misspelt fields are not read"
UNKNOWN = "unknown lines and empty User-agent lines are between no groups (RFC 9309, 2.2)"

#: The tests of Protego that answer otherwise, with the reason. README.md explains them.
DIFFERENT = {
    "test_user_agent_precedence[/group1-hedwig-news2]": NAMES,
    "test_user_agent_precedence[/group3-hedwig-images]": NAMES,
    "test_user_agent_precedence[/group3-hedwig-new]": NAMES,
    "test_user_agent_boundary_matching[google-googlebot-mobile-True]": NAMES,
    "test_user_agent_boundary_matching[googlebot-googlebot-news-True]": NAMES,
    "test_generosity": FIELDS,
    "test_generosity_case_insensitivity": FIELDS,
    "test_generosity_sitemap": FIELDS,
    "test_generosity_tab_separated": FIELDS,
    "test_generosity_visit_time": FIELDS,
    "test_malformed_disallow": FIELDS,
    "test_empty_user_agent_line": UNKNOWN,
    "test_grouping_unknown_keys": UNKNOWN,
    "test_equal_sign_in_path[https://example.com/1/filter/page%3D5/-True]": "%3D is not the same as = (RFC 9309, 2.2.2)",
    "test_index_html_is_directory": "Allow: /index.html does not allow /",
    "test_special_symbols_dual_behaviour": "$ at the end of a rule is only an anchor (RFC 9309, 2.2.3)",
    "test_visit_time": "a Visit-time with a space in place of - is not read",
    "test_with_absolute_urls": "a rule begins with / (RFC 9309, 2.2)",
    "test_bytestrings": "the message of the TypeError differs",
    "test_line_endings": "the test reads private attributes",
}

#: Those under the dialect `protego`.
DIFFERENT_UNDER_ITS_DIALECT = {
    "test_generosity": "a name with a star in it is only the name without",
    "test_generosity_visit_time": "a Visit-time with a space in place of - is not read",
    "test_visit_time": "a Visit-time with a space in place of - is not read",
    "test_bytestrings": "the message of the TypeError differs",
    "test_line_endings": "the test reads private attributes",
}


def failed(package, folder, *arguments, dialect="rfc9309"):
    """Runs tests of a package. Returns the number of tests that passed, and the names of those that failed."""
    sources = sorted(FOREIGN.glob(f"{package}-*/"))
    if not sources:
        pytest.skip(f"the source package of {package} is not in {FOREIGN}")
    report = folder / "report.xml"
    command = [sys.executable, "-m", "pytest", "-q", "--noconftest", "-o", "addopts=", "-p", "foreign_replaced"]
    subprocess.run(
        [*command, f"--junitxml={report}", *arguments],
        cwd=sources[-1],
        env={**os.environ, "PYTHONPATH": str(HERE), "FOREIGN_DIALECT": dialect},
        capture_output=True,
        check=False,
    )
    cases = list(ElementTree.parse(report).iter("testcase"))
    wrong = {case.get("name") for case in cases if case.find("failure") is not None or case.find("error") is not None}
    passed = [case for case in cases if len(case) == 0]
    return len(passed), wrong


@pytest.mark.parametrize(("dialect", "different"), [("rfc9309", DIFFERENT), ("protego", DIFFERENT_UNDER_ITS_DIALECT)])
def test_tests_of_protego(tmp_path, dialect, different):
    files = ["tests/test_protego.py", "tests/test_on_google_spec.py", "tests/test_on_fetched_robotstxt.py"]
    passed, wrong = failed("protego", tmp_path, *files, dialect=dialect)
    assert wrong == set(different)
    assert passed > 100


def test_tests_of_scrapy(tmp_path):
    passed, wrong = failed("scrapy", tmp_path, "tests/test_robotstxt_interface.py", "-k", "TestProtegoRobotParser")
    assert not wrong
    assert passed == 8
