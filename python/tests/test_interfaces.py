"""The interfaces of other parsers, the enums and the stubs."""

import builtins
import http.client
import importlib
import socket
import subprocess
import sys
import threading
import unittest
import urllib.robotparser
from datetime import time
from pathlib import Path
from random import Random
from typing import get_args

import pytest
import stub_docs

import robots_policy
from robots_policy import Allowed, Dialect, RobotRules, _native
from robots_policy._by_user_agent import MAX_AGENTS
from robots_policy.protego import Protego
from robots_policy.robotparser import RobotFileParser

#: A robots.txt that allows everything, as does the start of a longer one.
RULES = b"User-agent: *\n"

#: The tests of CPython that answer otherwise, with the reason. README.md explains them.
DIFFERENT = {
    "StringFormattingTest.test_string_formatting": "str() is the file as it was read",
    "UseFirstUserAgentWildcardTest.test_good_urls": "all groups of * count, not the first alone",
    "UserAgentGoogleMobileTest.test_bad_urls": "Googlebot-Mobile is not Googlebot",
}


def test_www_robot_rules():
    rules = RobotRules("ExampleBot/1.0 (mail@example.com)")
    assert rules.agent == "ExampleBot"
    rules.set_now(2_000)
    rules.parse("http://example.com/robots.txt", "User-agent: *\nDisallow: /private/\n", 2_000)
    assert rules.allowed("http://example.com/offers") is Allowed.YES == 1
    assert rules.allowed("http://example.com/private/x") is Allowed.NO == 0
    assert rules.allowed("http://example.org/") is Allowed.UNKNOWN == -1
    rules.set_now(2_001)
    assert rules.allowed("http://example.com/offers") is Allowed.UNKNOWN
    assert rules.fresh_until("http://example.com/") == 2_000


def test_robotparser():
    parser = RobotFileParser("https://example.com/robots.txt")
    assert not parser.can_fetch("a", "/") and parser.crawl_delay("a") is None and parser.site_maps() is None
    parser.parse(["User-agent: ExampleBot\r\n", "Disallow: /*.pdf$\n", "Crawl-delay: 1.5", "Request-rate: 3/15"])
    full = "Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com/bot)"
    assert not parser.can_fetch(full, "https://example.com/a.pdf")
    assert parser.can_fetch("Other", "https://example.com/a.pdf") and parser.mtime() > 0
    assert (parser.crawl_delay(full), parser.request_rate(full)) == (1.5, urllib.robotparser.RequestRate(3, 15))
    for number in range(MAX_AGENTS + 2):
        assert parser.can_fetch(f"bot{number}", "/a.pdf")
    # Bytes that were decoded with surrogateescape.
    parser.parse([b"User-agent: *\nDisallow: /\xe9".decode("utf-8", "surrogateescape")])
    assert not parser.can_fetch("a", "/%E9")
    with pytest.raises(robots_policy.InputError):
        parser.parse(["\ud800"])


@pytest.mark.parametrize("stated, error", [(len(RULES), None), (len(RULES) + 19, http.client.IncompleteRead)])
def test_a_response_that_breaks_off_is_no_file(stated, error):
    listener = socket.create_server(("127.0.0.1", 0))

    def answer():
        with listener.accept()[0] as client:
            client.recv(65536)
            client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (stated, RULES))

    server = threading.Thread(target=answer)
    server.start()
    parser = RobotFileParser(f"http://127.0.0.1:{listener.getsockname()[1]}/robots.txt")
    if error:
        with pytest.raises(error):
            parser.read()
    else:
        parser.read()
    server.join()
    listener.close()
    # What is not known is not allowed.
    assert parser.can_fetch("a", "/x") is not bool(error)


def is_historic():
    """Returns whether urllib.robotparser of this Python reads files as the dialect python-robotparser does."""
    parser = urllib.robotparser.RobotFileParser()
    parser.parse(["User-agent: *", "Disallow: /", "Allow: /a"])
    return not parser.can_fetch("a", "/a")


class PythonsRobotFileParser(RobotFileParser):
    dialect = Dialect.PYTHON_ROBOTPARSER


LINES = [
    "User-agent: *",
    "User-agent: * ",
    "user-agent:a",
    "User-agent: Google%62ot",
    "User-agent: \u00c9",
    "User-agent: bot/1",
    "User-agent:\u00a0bot\u00a0",
    "\u00a0User-agent\u00a0: a",
    "Disallow: /",
    "Disallow: /a",
    "Disallow: /a?",
    "Disallow:",
    "Disallow: ?",
    "Disallow: /%7Eb/*",
    "Disallow: /e%23f",
    "Disallow:\u3000/\u00e9",
    "Disallow: /a\nAllow: /",
    "Disallow: /b\r\n",
    "Allow: /a/b",
    "Allow: /\u2028x",
    "Crawl-delay: 5",
    "Crawl-delay: 1.5",
    "Request-rate: 3/15",
    "Sitemap: https://a.example/s%20m.xml",
    "# c",
    "\x1f",
    " ",
    "\n",
    "",
    "",
    "",
]
URLS = ["", "a", "a/b", "ab", "a?", "a?b#", "a#b", "~b/*x", "e#f", "e%23f", "%C3%A9", "\u00e9/x", "aAllow: /x", "b", "%E2%80%A8x"]
AGENTS = ["a", "Googlebot/2.1", "Mozilla/5.0 (compatible; ExampleBot/1.0)", "\u00e9", "bot", "", "*"]


@pytest.mark.skipif(not is_historic(), reason="urllib.robotparser of this Python has another reading")
def test_pythons_dialect_answers_as_the_standard_library():
    random = Random(1)
    allowed = set()
    for _ in range(2_000):
        lines = random.choices(LINES, k=random.randrange(14))
        ours, theirs = PythonsRobotFileParser(), urllib.robotparser.RobotFileParser()
        for parser in (ours, theirs):
            parser.parse(lines)
        for agent in AGENTS:
            for url in URLS:
                expected = theirs.can_fetch(agent, f"https://h.example/{url}")
                allowed.add(expected)
                assert ours.can_fetch(agent, f"https://h.example/{url}") == expected, (agent, url, lines)
        # One delay and one rate in a file, so that it does not matter which of several counts.
        if sum(line.startswith(("Crawl", "Request")) for line in lines) < 2:
            for agent in AGENTS:
                assert ours.crawl_delay(agent) == theirs.crawl_delay(agent), (agent, lines)
                assert ours.request_rate(agent) == theirs.request_rate(agent), (agent, lines)
        assert ours.site_maps() == theirs.site_maps()
    assert allowed == {True, False}


def test_a_dialect_of_robotparser():
    lines = ["User-agent: *", "Disallow: /a", "Allow: /a/b"]
    for dialect, expected in [("rfc9309", True), (Dialect.PYTHON_ROBOTPARSER, False), ("koster1996", False)]:
        parser = RobotFileParser(dialect=dialect)
        parser.parse(iter(lines))
        assert parser.can_fetch("x", "/a/b") == expected
    with pytest.raises(robots_policy.DialectError):
        RobotFileParser(dialect="no-dialect")


def test_protego():
    robots = Protego.parse(
        "User-agent: ExampleBot\nDisallow: /private\nCrawl-delay: 1.5\nRequest-rate: 3/15s 2200-2400\n"
        "Visit-time: 0600-0845\nHost: a.example\nHost: b.example\nSitemap: https://a.example/s.xml\n"
    )
    full = "Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com/bot)"
    assert not robots.can_fetch("https://a.example/private", full) and robots.can_fetch("/private", "Other")
    assert (robots.crawl_delay(full), robots.crawl_delay("Other")) == (1.5, None)
    assert robots.request_rate(full) == (3, 15, time(22), time(0)) and robots.request_rate("Other") is None
    assert robots.visit_time(full) == (time(6), time(8, 45)) and robots.visit_time("Other") is None
    assert list(robots.sitemaps) == ["https://a.example/s.xml"]
    assert robots.preferred_host == "b.example" and Protego().preferred_host is None
    assert Protego().can_fetch("/", "a") and Protego.parse("").request_rate("a") is None
    assert Protego.parse("User-agent: *\nRequest-rate: 1/5").request_rate("a") == (1, 5, None, None)
    with pytest.raises(TypeError, match="unexpected bytes"):
        Protego.parse(b"")
    with pytest.raises(robots_policy.InputError):
        Protego.parse("\ud800")


@pytest.mark.parametrize(
    ("parser", "different"),
    [
        (RobotFileParser, DIFFERENT),
        (PythonsRobotFileParser, ["StringFormattingTest.test_string_formatting"]),
    ],
)
def test_cpython_own_tests(monkeypatch, parser, different):
    if parser is PythonsRobotFileParser and not is_historic():
        pytest.skip("the tests of this Python are for another reading")
    try:
        module = importlib.import_module("test.test_robotparser")
    except ImportError:
        pytest.skip("this Python was installed without its own tests")
    monkeypatch.setattr(urllib.robotparser, "RobotFileParser", parser)
    suite = unittest.TestSuite()
    for case in unittest.defaultTestLoader.loadTestsFromModule(module):
        for test in case:
            # The network test needs a host outside of this machine.
            if "NetworkTestCase" not in test.id():
                suite.addTest(test)
    result = unittest.TestResult()
    suite.run(result)
    failed = {}
    for test, text in result.failures + result.errors:
        name = ".".join(test.id().split(" ")[0].split(".")[-2:])
        failed[name] = text
    assert result.testsRun > 40
    assert set(failed) == set(different), "\n".join(f"{name}\n{text}" for name, text in failed.items())


def test_enums_have_the_words_of_rust():
    for name, words in _native._words().items():
        assert [member.value for member in getattr(robots_policy, name)] == words, name


@pytest.mark.parametrize(
    ("literal", "names"),
    [
        (robots_policy.DialectName, _native._words()["Dialect"]),
        (robots_policy.FieldName, _native._words()["Field"]),
        (robots_policy.ProfileName, [profile.name for profile in robots_policy.Profile.all()]),
    ],
)
def test_literal_types_have_the_names_of_rust(literal, names):
    assert list(get_args(literal)) == names


def test_everything_public_is_documented_and_exported():
    for name in robots_policy.__all__:
        # A Literal has no docstring.
        assert get_args(getattr(robots_policy, name)) or getattr(robots_policy, name).__doc__, name
    public = {name for name in vars(_native) if not name.startswith("_")}
    assert public - set(robots_policy.__all__) == {"Warning"}


def test_the_version_is_that_of_the_crate():
    manifest = (Path(__file__).resolve().parents[1] / "Cargo.toml").read_text()
    assert f'\nversion = "{robots_policy.__version__}"\n' in manifest


def test_a_star_import_replaces_no_builtin():
    assert not set(robots_policy.__all__) & set(vars(builtins))
    assert robots_policy.Warning is _native.Warning is not Warning


def test_stubs_have_the_docstrings_of_the_module():
    source = stub_docs.STUBS.read_text()
    assert source == stub_docs.documented(source), "python tests/stub_docs.py writes them"
    assert source.count('"""') > 300


def test_stubs_match_the_module():
    command = [sys.executable, "-m", "mypy.stubtest", "robots_policy._native", "--ignore-disjoint-bases"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
