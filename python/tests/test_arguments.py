"""Wrong arguments: each has a clear error, and none ends the process."""

import os
import sys
from datetime import datetime
from pathlib import Path

import pytest

import robots_policy
from robots_policy import (
    InputError,
    Policy,
    RobotRules,
    RobotsTxt,
    captures,
    iter_decisions,
    read_head,
    read_pages,
    records,
)

FIXTURE = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "crawl.warc.gz"
URL = "https://example.com/"
POLICY = Policy("a")
RULES = RobotsTxt(b"").rules("a")


@pytest.mark.parametrize(
    "call",
    [
        lambda: RULES.allowed(b"/x"),
        lambda: RULES.allowed(None),
        lambda: RULES.allowed(float("nan")),
        lambda: RobotsTxt(None),
        lambda: RobotsTxt(7),
        lambda: RobotsTxt(b"").rules(b"a"),
        lambda: RobotsTxt(b"").rules("a", 7),
        lambda: POLICY.decide(b"https://example.com/"),
        lambda: POLICY.decide(float("nan"), b""),
        lambda: POLICY.decide(URL, 7),
        lambda: POLICY.decide(URL, [b"a"]),
        lambda: POLICY.decide(URL, status="200"),
        lambda: POLICY.decide(URL, status=True),
        lambda: POLICY.decide(URL, headers="X-Robots-Tag: noindex"),
        lambda: POLICY.decide(URL, headers=["X-Robots-Tag"]),
        lambda: POLICY.decide(URL, headers=[("a", "b", "c")]),
        lambda: POLICY.decide(URL, headers={"a": 7}),
        lambda: POLICY.decide(URL, at="2026-01-01"),
        lambda: POLICY.decide(URL, at=True),
        lambda: POLICY.decide(URL, charset=b"utf-8"),
        lambda: Policy(b"a"),
        lambda: Policy("a", 7),
        lambda: robots_policy.Rules.from_bytes("text"),
        lambda: robots_policy.diff(b"", b""),
        lambda: robots_policy.install(None),
        lambda: read_head(None),
    ],
)
def test_a_wrong_type_is_a_type_error(call):
    with pytest.raises(TypeError, match="expected|is not an instance of"):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: RULES.allowed("/\ud800"),
        lambda: RobotsTxt("\udfff"),
        lambda: POLICY.decide("https://example.com/\udc80"),
        lambda: POLICY.decide(URL, "<p>\ud83d"),
        lambda: POLICY.decide(URL, headers={"X-Robots-Tag": "\ud800"}),
        lambda: POLICY.decide(URL, at=float("nan")),
        lambda: POLICY.decide(URL, at=float("-inf")),
        lambda: POLICY.decide(URL, at=1e300),
        lambda: POLICY.decide(URL, at=2**63),
        lambda: POLICY.decide(URL, at=datetime(2026, 1, 1)),
        lambda: POLICY.decide(URL, status=-1),
        lambda: POLICY.decide(URL, status=65_536),
        lambda: POLICY.decide(URL, b"", not_html=True),
        lambda: POLICY.learn(URL),
        lambda: POLICY.learn(URL, b"", outcome="unreachable"),
        lambda: POLICY.learn(URL, outcome="lost"),
        lambda: POLICY.learn(URL, status=404, content_type="text/plain"),
        lambda: POLICY.learn(URL, b"", fresh_for=float("nan")),
        lambda: POLICY.learn(URL, b"", fresh_for=-1.0),
        lambda: POLICY.decide(URL).reasons_for("colour"),
        lambda: Policy("a", store_limit=-1),
        lambda: POLICY.learn(URL, b"", fresh_for=10**400),
        lambda: RobotsTxt(b"").line_text(-1),
        lambda: RobotsTxt(b"").line_text(2**64),
        lambda: iter_decisions("crawl.warc.gz", limit=-1),
        lambda: iter_decisions("crawl.warc.gz", threads=-1),
        lambda: iter_decisions("crawl.warc.gz", threads=0),
        lambda: captures("crawl.warc.gz", threads=0),
        lambda: captures("crawl.warc.gz", threads=-(10**5000)),
        lambda: read_pages("crawl.warc.gz", limit=2**64),
        lambda: records("crawl.warc.gz", ranges=[(1,)]),
        lambda: records("crawl.warc.gz", ranges=[(1, 2, 3)]),
        lambda: records("crawl.warc.gz", ranges=[(-1, None)]),
        lambda: records("crawl.warc.gz", offset=10**5000),
    ],
)
def test_a_value_without_meaning_is_an_input_error(call):
    with pytest.raises(InputError):
        call()


def test_a_long_number_is_not_written(monkeypatch):
    unraised = []
    monkeypatch.setattr(sys, "unraisablehook", unraised.append)
    for number in (10**5000, -(10**5000), 10**50):
        with pytest.raises(InputError, match="unexpected status of more than 40 digits: expected 0 to 65535"):
            POLICY.decide(URL, status=number)
        with pytest.raises(InputError, match="of more than 40 digits"):
            Policy("a", store_limit=number)
    assert unraised == []
    with pytest.raises(InputError, match="unexpected number -1: expected 0"):
        iter_decisions("crawl.warc.gz", limit=-1)


def test_edges_of_values():
    for at in (-(2**63), 2**63 - 1, 0.5, -0.5):
        POLICY.decide(URL, at=at)
    for status in (0, 65_535):
        POLICY.decide(URL, status=status)
    with pytest.raises(InputError, match="unexpected lone surrogate at character 2"):
        RULES.allowed("/a\ud800")


def test_names_and_urls_are_checked():
    with pytest.raises(robots_policy.AgentError, match="pass the name alone"):
        Policy("Mozilla/5.0 (compatible; ExampleBot/1.0)")
    with pytest.raises(robots_policy.UrlError, match="has no host"):
        POLICY.learn("mailto:a@b", b"")
    with pytest.raises(robots_policy.UrlError):
        RobotRules("a").parse("robots.txt", b"")
    assert issubclass(robots_policy.UrlError, ValueError) and issubclass(robots_policy.UrlError, robots_policy.RobotsError)


def test_a_host_has_the_origin_that_the_program_asks():
    policy = Policy("a")
    policy.learn("example.com", b"User-agent: *\nDisallow: /")
    assert policy.decide("https://example.com/x").fetch == "disallow"
    assert policy.decide("http://example.com/x").fetch == "unknown"
    policy.learn("example.org:8080/x", status=404)
    assert policy.decide("https://example.org:8080/").fetch == "allow"
    assert policy.ask_again_at("example.com") is not None
    policy.forget("example.com")
    assert policy.known_origins == 1


def test_a_profile_may_be_a_file(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text('name = "own"\nbased-on = "google"\n')
    for profile in (path, str(path)):
        assert Policy("a", profile).profile.name == "own"
    assert [profile.name for _, profile in captures(FIXTURE, agents="a", profiles=[path, "google"]).robots] == ["own", "google"]
    path.write_text("name = ")
    for wrong in (path, tmp_path / "missing.toml"):
        with pytest.raises(robots_policy.ProfileError, match=f"cannot read the profile in .*{wrong.name}"):
            Policy("a", wrong)
    with pytest.raises(robots_policy.ProfileError, match="ends with .toml"):
        Policy("a", "own.tml")


def test_every_kind_of_bytes_is_accepted():
    body = b"User-agent: *\nDisallow: /x\n"
    for kind in (bytes, bytearray, memoryview):
        assert not RobotsTxt(kind(body)).rules("a").allowed("/x")
    assert not RobotsTxt(memoryview(b"-" + body)[1:]).rules("a").allowed("/x")
    assert not RobotsTxt(body.decode()).rules("a").allowed("/x")
    assert RobotsTxt(b"\xff\0\xfe" * 1000).rules("a").allowed("/x")


class Raising:
    """An argument whose methods raise."""

    def __init__(self, error):
        self.error = error

    def __iter__(self):
        raise self.error

    def __fspath__(self):
        raise self.error

    def utcoffset(self):
        raise self.error


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError("lost"), ZeroDivisionError()])
@pytest.mark.parametrize(
    "call",
    [
        lambda raising: POLICY.decide(URL, headers=raising),
        lambda raising: POLICY.decide(URL, at=raising),
        lambda raising: iter_decisions(raising),
        lambda raising: iter_decisions([raising]),
        lambda raising: iter_decisions("crawl.warc.gz", robots=[raising]),
        lambda raising: iter_decisions("crawl.warc.gz", agents=raising),
        lambda raising: records(raising),
    ],
)
def test_an_exception_of_an_argument_is_raised(call, error):
    with pytest.raises(type(error)) as raised:
        call(Raising(error))
    assert raised.value is error


def test_a_type_error_of_an_argument_names_the_expected_type():
    with pytest.raises(TypeError, match="expected a path or a binary file object, got Raising"):
        iter_decisions([Raising(TypeError("own"))])
    with pytest.raises(TypeError, match="expected a mapping or pairs of names and values, got Raising"):
        POLICY.decide(URL, headers=Raising(TypeError("own")))
    for wrong in (7, None, b"crawl.warc.gz"):
        with pytest.raises(TypeError, match="expected a path"):
            iter_decisions([wrong])
    with pytest.raises(TypeError, match=r"not bytes \(os.fsdecode returns a path, io.BytesIO a file object\), got bytes"):
        iter_decisions(b"crawl.warc.gz")
    with pytest.raises(TypeError, match=r"a path as str, not bytes \(os.fsdecode returns it\), got bytes"):
        iter_decisions("crawl.warc.gz", robots=b"crawl.warc.gz")
    with pytest.raises(TypeError, match="expected str, not bytes"):
        captures("crawl.warc.gz", agents=b"Googlebot")
    with pytest.raises(TypeError, match="expected a Profile, or its name or path, got int"):
        Policy("a", 7)
        with pytest.raises(TypeError, match="expected a path"):
            iter_decisions("crawl.warc.gz", robots=[wrong])


def test_paths():
    class BytesPath:
        def __fspath__(self):
            return os.fsencode(FIXTURE)

    expected = len(list(iter_decisions(FIXTURE)))
    assert expected > 20
    for path in (str(FIXTURE), BytesPath()):
        assert len(list(iter_decisions(path))) == len(list(iter_decisions(FIXTURE, robots=path))) == expected
    for call in (iter_decisions, records, lambda path: iter_decisions(FIXTURE, robots=path)):
        with pytest.raises(InputError, match="unexpected lone surrogate in the path"):
            call("\ud800")
