"""Values: they are compared and hashed by their content, pickle, and are shown in the terms of Python."""

import copy
import inspect
import pickle
import re
from pathlib import Path

import pytest

import robots_policy
from robots_policy import Agent, LoadError, Policy, Profile, RobotsTxt, captures, diff, iter_decisions, lint, lint_page, read_head

FIXTURE = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "crawl.warc.gz"
URL = "https://example.com/private/x?q"
BODY = b"""User-agent: ExampleBot
Disallow: /private
Allow: /private/x
Request-rate: 1/5m 0800-1600
Request-rate: 2/1s
Crawl-delay: 1.5

User-agent: *
Dissallow: /
"""
PAGE = b"<title>a</title><meta name=robots content='noindex, indx, nofolow'><meta name=revisit-after content='2 weeks'><meta property=p>"


def values():
    """Returns values of each class that pickles, made anew."""
    policy = Policy("ExampleBot")
    policy.learn(URL, BODY, at=0)
    decision = policy.decide(URL, PAGE, headers={"X-Robots-Tag": "none"}, at=1)
    rules = RobotsTxt(BODY).rules("ExampleBot")
    verdict = rules.verdict(URL)
    pages = list(iter_decisions(FIXTURE, agents="Googlebot", at=0))
    return {
        "Agent": [Agent("a"), Agent.known("Applebot"), Agent.known("AdsBot-Google")],
        "ArchivedPage": pages,
        "Decision": [decision, pages[0].decision, policy.decide("https://example.org/")],
        "Finding": lint(BODY) + lint_page(PAGE),
        "Profile": [Profile("google"), Profile("neutral")],
        "Reason": decision.reasons,
        "RequestRate": [*rules.request_rates, *decision.request_rates],
        "Rule": [*rules.rules, verdict.rule],
        "Source": [reason.source for reason in decision.reasons],
        "Verdict": [verdict, rules.verdict("/private"), RobotsTxt(b"").rules("a").verdict("/")],
        "Warning": decision.warnings,
    }


@pytest.mark.parametrize("name", values())
def test_values_are_compared_hashed_and_pickled(name):
    for value, again in zip(values()[name], values()[name], strict=True):
        assert type(value).__name__ == name
        assert value is not again and value == again and hash(value) == hash(again)
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            loaded = pickle.loads(pickle.dumps(value, protocol))
            assert loaded == value and hash(loaded) == hash(value) and repr(loaded) == repr(value)
            for attribute, kind in inspect.getmembers(type(value)):
                if inspect.isgetsetdescriptor(kind):
                    assert getattr(loaded, attribute) == getattr(value, attribute), attribute
        assert copy.deepcopy(value) == value
    different = values()[name]
    assert len(different) > 1 and len(set(different)) > 1
    assert {value: 1 for value in different}[different[0]] == 1


def test_each_field_of_a_decision_is_compared():
    decision = Policy("ExampleBot").decide(URL, PAGE)
    texts = {decision.to_json()}
    for old, new in [('"index":"no"', '"index":"yes"'), ('"revisit_after":14.0', '"revisit_after":15.0'), ("indx", "indz")]:
        changed = decision.to_json().replace(old, new)
        assert changed not in texts and robots_policy.Decision.from_json(changed) != decision, old
        texts.add(changed)


def test_changes_have_hashes():
    first, second = (diff(RobotsTxt(b""), RobotsTxt(BODY), ["ExampleBot", "a"]) for _ in range(2))
    assert set(first) == set(second) and len({change.after for change in first}) == len({change.after for change in second}) > 0


def test_damaged_states_are_errors():
    for load in [
        lambda: robots_policy.Reason._load("{}"),
        lambda: robots_policy.Warning._load("x"),
        lambda: robots_policy.Source._load('{"source": "nowhere"}'),
        lambda: robots_policy.RequestRate._load(1, "often"),
        lambda: robots_policy.Decision._load("{}", []),
        lambda: robots_policy.Finding._load(("R999", "", False, 0, 0, 0, 0, None, 0, None)),
    ]:
        with pytest.raises(LoadError):
            load()
    with pytest.raises(ValueError):
        robots_policy.Verdict._load(True, "by chance", None, "")


def test_values_are_shown_in_the_terms_of_python():
    facts = read_head(PAGE)
    book = captures(FIXTURE)
    shown = [value for all_of_a_class in values().values() for value in all_of_a_class]
    shown += [*facts.metas, *facts.directives(), facts, facts.end, Policy("a"), RobotsTxt(BODY), RobotsTxt(BODY).rules("a"), book, book.freeze()]
    shown += diff(RobotsTxt(b""), RobotsTxt(BODY), "ExampleBot")
    for value in shown:
        assert not re.search(r"\b(Some|Ok|Err)\(|\b(true|false)\b", repr(value)), value
    assert repr(facts.metas[0]) == "<Meta at byte 16: name='robots', content='noindex, indx, nofolow'>"
    assert repr(facts.metas[2]).endswith(": name=None, content=''>")
