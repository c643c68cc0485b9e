"""robots.txt: rules, verdicts, pickles, changes and findings."""

import pickle
from collections.abc import Sequence

import pytest

import robots_policy
from robots_policy import Agent, AgentError, Dialect, InputError, LoadError, RobotsTxt, RuleKind, Rules, Severity, VerdictReason, diff

BODY = b"""User-agent: *
Disallow: /private
Allow: /private/open
Crawl-delay: 2.5
Request-rate: 100/15m 0800-1600
Visit-time: 0600-0845
Host: example.com

Sitemap: https://example.com/map.xml
"""


def test_the_line_that_decides():
    rules = RobotsTxt(BODY).rules("ExampleBot")
    verdict = rules.verdict("https://example.com/private/x")
    assert not verdict and not verdict.allowed and not rules.allowed("/private/x")
    assert (verdict.line, verdict.text) == (2, "Disallow: /private")
    assert verdict.reason is VerdictReason.RULE
    assert str(verdict) == "disallowed by line 2: Disallow: /private (group of *)"
    assert (verdict.rule.kind, verdict.rule.text, verdict.rule.agent) == (RuleKind.DISALLOW, "/private", "*")
    assert [rule.line for rule in rules.matching("/private/open")] == [3, 2]
    assert [rule.line for rule in rules.rules] == [2, 3]
    other = rules.verdict("/")
    assert other and (other.line, other.text, other.rule) == (None, None, None)
    assert other.reason is VerdictReason.NO_RULE_MATCHES
    assert RobotsTxt(b"").rules("a").verdict("/").reason is VerdictReason.NO_GROUP
    assert rules.verdict("/robots.txt").reason is VerdictReason.ROBOTS_TXT_ITSELF


def test_other_fields():
    robots = RobotsTxt(BODY, url="https://example.com/robots.txt")
    rules = robots.rules("ExampleBot")
    assert rules.crawl_delay == 2.5
    rate = rules.request_rate
    assert (rate.documents, rate.period, rate.interval, rate.window, rate.line) == (100, 900, 9.0, "0800-1600", 5)
    assert robots.sitemaps == ["https://example.com/map.xml"]
    assert (robots.body, robots.url) == (BODY, "https://example.com/robots.txt")
    assert robots.line_text(2) == "Disallow: /private" and robots.line_text(99) is None


def test_dialects_by_member_and_name():
    robots = RobotsTxt("User-agent: *\nDisallow: /a%62c\n")
    assert not robots.rules("a", Dialect.RFC9309).allowed("/abc")
    assert robots.rules("a", "google").allowed("/abc")
    assert robots.rules("a", Dialect.GOOGLE).dialect is Dialect.GOOGLE
    with pytest.raises(robots_policy.DialectError, match="unknown dialect \"klingon\": expected one of rfc9309"):
        robots.rules("a", "klingon")


def test_robots_and_their_names():
    robots = RobotsTxt(b"User-agent: Googlebot\nDisallow: /x\n\nUser-agent: *\nDisallow: /\n")
    assert robots.rules("Applebot").allowed("/y")
    assert not robots.rules(Agent("Applebot")).allowed("/y")
    with pytest.raises(AgentError, match="pass the name alone"):
        robots.rules("Mozilla/5.0 (compatible; Googlebot/2.1)")
    with pytest.raises(InputError, match="no agents"):
        diff(robots, robots, [])
    agent = Agent.from_user_agent("Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com)")
    assert (agent.name, agent) == ("ExampleBot", Agent("ExampleBot"))
    assert Agent.from_user_agent("Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/130.0") is None


def test_rules_as_the_operator_of_a_robot_reads_them():
    robots = RobotsTxt(b"User-agent: *\nDisallow: /\nAllow: /index.html\n")
    rules = robots.rules("Googlebot")
    for rules in (rules, pickle.loads(pickle.dumps(rules)), Rules.from_bytes(rules.to_bytes(), "google")):
        # Engines request every robots.txt; the dialect alone leaves it to its callers.
        assert rules.allowed("/robots.txt") and rules.allowed("/") and not rules.allowed("/x")
        assert rules.dialect is Dialect.GOOGLE
    assert robots.rules("a", profile="duckduckgo").allowed("/robots.txt")
    assert not robots.rules("Googlebot", "google").allowed("/robots.txt")
    with pytest.raises(InputError, match="dialect and profile are both given"):
        robots.rules("Googlebot", "google", profile="google")
    with pytest.raises(LoadError, match="dialect"):
        Rules.from_bytes(rules.to_bytes(), "bing")
    with pytest.raises(LoadError, match="end too early"):
        Rules.from_bytes(rules.to_bytes()[:-1], "google")


def test_rules_pickle_as_few_bytes():
    robots = RobotsTxt(BODY + b"#" * 10_000)
    rules = robots.rules("ExampleBot", "google")
    kept = pickle.dumps(rules)
    assert len(kept) < 300
    loaded = pickle.loads(kept)
    assert loaded.dialect is Dialect.GOOGLE
    assert loaded.verdict("/private/x") == rules.verdict("/private/x")
    assert (loaded.crawl_delay, loaded.request_rates) == (rules.crawl_delay, rules.request_rates)
    assert loaded.visit_time == rules.visit_time == "0600-0845"
    again = pickle.loads(pickle.dumps(loaded))
    assert (again.request_rates, again.visit_time) == (rules.request_rates, rules.visit_time)
    assert robots.hosts == ["example.com"] and robots.rules("*", "rfc9309").visit_time == "0600-0845"
    assert pickle.loads(pickle.dumps(robots)).body == robots.body
    assert not Rules.from_bytes(rules.to_bytes(), "google").allowed("/private/x")


def test_damaged_rules_are_an_error():
    data = RobotsTxt(BODY).rules("a").to_bytes()
    for damaged in [b"", data[:-1], data + b"\0", b"x" + data]:
        with pytest.raises(robots_policy.LoadError):
            Rules.from_bytes(damaged)
    with pytest.raises(robots_policy.LoadError):
        Rules.from_bytes(data, "google")


def test_changes_of_decisions():
    before = RobotsTxt(b"User-agent: *\nDisallow: /a\nDisallow: /b")
    after = RobotsTxt(b"User-agent: *\nDisallow: /b*\nDisallow: /a\nAllow: /a/open")
    changes = robots_policy.diff(before, after, "ExampleBot")
    assert changes.is_complete and len(changes) == 1
    change = list(changes)[0]
    assert (change.agent, change.path) == ("ExampleBot", "/a/open")
    assert not change.before and change.after and (change.before.line, change.after.line) == (2, 4)
    assert changes[-1] == change
    for index in (1, -2):
        with pytest.raises(IndexError):
            changes[index]
    assert len(robots_policy.diff(before, before)) == 0


def test_findings():
    (finding,) = robots_policy.lint(b"User-agent: *\nDisalow: /private\n")
    assert (finding.code, finding.line, finding.column) == ("R012", 2, 1)
    assert finding.severity in set(Severity) and finding.findings_of_kind == 1
    assert finding.fix == [(14, 7, b"Disallow")]
    of_google = "<meta name=googlebot content=noindexx>"
    for names, count in ((None, 1), ("googlebot", 1), (["googlebot"], 1), ([], 0), ("bingbot", 0)):
        assert len(robots_policy.lint_page(of_google, names=names, at=0)) == count, names
    (finding,) = robots_policy.lint_page("<meta name=robots content='noindex, nofolow'>", at=0)
    assert (finding.code, finding.line, finding.column) == ("M013", 1, 37)


def test_bytes_of_rules_have_no_checksum():
    """Damage that still reads as rules is not an error, as the docstring of `from_bytes` says."""
    rules = RobotsTxt(b"User-agent: *\nDisallow: /private").rules("a")
    data = rules.to_bytes()
    assert not Rules.from_bytes(data).allowed("/private")
    assert Rules.from_bytes(data.replace(b"private", b"privatf")).allowed("/private")
    for damaged in (data[:-1], data + b"x", b"", b"x" + data[1:]):
        with pytest.raises(LoadError):
            Rules.from_bytes(damaged)
    assert "no checksum" in " ".join(Rules.from_bytes.__doc__.split())


def test_changes_are_a_sequence():
    before, after = RobotsTxt(b"User-agent: *\nDisallow: /a"), RobotsTxt(b"User-agent: *\nDisallow: /b\nDisallow: /c")
    changes = robots_policy.diff(before, after)
    listed = list(changes)
    assert isinstance(changes, Sequence) and len(listed) == 3
    for part in (slice(None), slice(1, None), slice(None, None, -1), slice(-2, 9, 2), slice(9, 3), slice(None, -1)):
        assert changes[part] == listed[part], part
    assert list(reversed(changes)) == listed[::-1]
    for at, change in enumerate(listed):
        assert changes.index(change) == at and changes.count(change) == 1 and change in changes
        assert changes[at - 3] == change
    assert changes.index(listed[1], -2) == changes.index(listed[1], 1, 2) == changes.index(listed[1], -99, -1) == 1
    for arguments in [(7,), (None,), (listed[0], 1), (listed[2], 0, -1), (listed[1], 2)]:
        with pytest.raises(ValueError):
            changes.index(*arguments)
    assert changes.count("/b") == 0
    for index in (3, -4, 10**30, -(10**30)):
        with pytest.raises(IndexError):
            changes[index]
    for index in ("0", 0.0, None):
        with pytest.raises(TypeError):
            changes[index]
    with pytest.raises(ValueError):
        changes[::0]
