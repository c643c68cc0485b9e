"""Decisions, pages and the default policy."""

import copy
import json
import pickle
import subprocess
import sys
import threading
from datetime import datetime, timezone

import pytest

import robots_policy
from robots_policy import Agent, Decision, Fetch, FollowLink, Index, Permission, Policy, Profile, RobotsTxt, Wanted, diff, read_head

URL = "https://example.com/x"


def test_a_decision_has_reasons():
    policy = Policy("ExampleBot")
    policy.learn(URL, b"User-agent: *\nDisallow: /private")
    decision = policy.decide(URL, b"<meta name=robots content=noindex>")
    assert decision.fetch is Fetch.ALLOW and decision.may_fetch
    assert decision.index is Index.NO and not decision.may_index
    assert decision.follow is Permission.YES and decision.may_follow
    (reason,) = decision.reasons_for("index")
    assert (str(reason.source), reason.text, reason.effect) == ("META at byte 0", "noindex", "decides")
    assert (reason.source.kind, reason.source.offset, reason.source.line) == ("meta", 0, None)
    assert "decides   META at byte 0: noindex" in decision.explain()
    private = policy.decide("https://example.com/private")
    assert private.fetch is Fetch.DISALLOW and private.index is Index.URL_ONLY
    assert private.reasons[0].text == "Disallow: /private (group of *)"
    late = b"<head><noscript><img></noscript><meta name=robots content=noindex></head>"
    for scripting, index in [(False, "yes"), (True, "no")]:
        policy = Policy("a", scripting=scripting)
        policy.learn(URL, b"")
        assert policy.decide(URL, late).index == index
    assert Policy("a", reasons=False).decide(URL, b"<meta name=robots content=none>").reasons == []


def test_plain_values():
    policy = Policy("seznambot", "seznam")
    policy.learn(URL, b"User-agent: *\nRequest-rate: 1/10 2200-0400\nVisit-time: 2200-0400")
    decision = policy.decide(URL, "<meta name=robots content='noindex'>", headers={"X-Robots-Tag": ["a: b", "c"]})
    plain = decision.to_dict()
    assert plain == json.loads(decision.to_json())
    for name in ("url", "agent", "profile", "crawl_delay", "visit_time", "snippet", "licenses", "revisit_after"):
        assert plain[name] == getattr(decision, name), name
    for name in ("fetch", "index", "follow", "archive", "image_index", "ai_train", "may_train", "page_layer"):
        assert plain[name] == str(getattr(decision, name)), name
    assert plain["request_rates"] == [str(rate) for rate in decision.request_rates] == ["1/10s 2200-0400"]
    loaded = Decision.from_json(decision.to_json())
    assert loaded.to_dict() == plain
    assert copy.copy(decision) == copy.deepcopy(decision) == decision
    simple = Policy("a").decide(URL, b"")
    assert pickle.loads(pickle.dumps(simple)) == simple
    with pytest.raises(robots_policy.LoadError, match="not a decision"):
        Decision.from_json("{}")


def test_answers_have_no_truth_value():
    decision = Policy("a").decide(URL, b"<meta name=robots content=noindex>")
    with pytest.raises(TypeError, match="Index has no truth value"):
        bool(decision.index)
    assert decision.follow_link("nofollow") is FollowLink.NO


def test_responses():
    google = Policy("Googlebot", Profile("google"))
    google.learn("https://example.com/", status=404, at=None)
    decision = google.decide(
        "https://example.com/report.pdf",
        status=200,
        headers=[("X-Robots-Tag", b"googlebot: noarchive, unavailable_after: 31 Dec 2025")],
        not_html=True,
        at=datetime(2026, 1, 15, tzinfo=timezone.utc),
    )
    assert decision.index is Index.NO and decision.expires_at is not None
    hour = 3600
    google.learn(URL, status=503, at=0)
    assert google.decide(URL, at=11 * hour).fetch is Fetch.DEFER
    assert google.decide(URL, at=13 * hour).fetch is Fetch.ALLOW
    neutral = Policy("a")
    neutral.learn(URL, outcome="unreachable")
    assert neutral.decide(URL).fetch is Fetch.DISALLOW or neutral.decide(URL).fetch is Fetch.DEFER
    assert neutral.known_origins == 1
    neutral.forget(URL)
    assert neutral.decide(URL).fetch is Fetch.UNKNOWN


@pytest.mark.parametrize("value", ["noindex\0nofollow\x0b", b"noindex\x01nofollow\x7f"], ids=type)
def test_a_control_character_hides_no_directive(value):
    decision = Policy("Bot").decide("https://a.example/", "", status=200, headers=[("X-Robots-Tag", value)])
    assert (decision.index, decision.follow) == ("no", "no")


def test_profiles():
    assert Profile.all()[0].name == "neutral" and Profile("google").agent == "Googlebot"
    html = b"<meta name=robots content='all, none'>"
    yandex = Policy("YandexBot", "yandex")
    yandex.learn(URL, status=404)
    assert yandex.decide(URL, html).index is Index.YES
    own = Profile.from_toml('name = "own"\nbased-on = "google"\n')
    assert Profile.from_toml(own.to_toml()) == own == pickle.loads(pickle.dumps(own))
    with pytest.raises(robots_policy.ProfileError):
        Policy("a", "gogle")
    with pytest.raises(robots_policy.ProfileError):
        Profile.from_toml("name = ")


def test_a_decoded_page_is_read_as_text():
    html = "<meta charset=iso-8859-1><title>caf\u00e9</title>"
    assert read_head(html).title == "caf\u00e9"
    assert read_head(html.encode("latin-1")).title == "caf\u00e9"
    page = read_head("<meta name=Robots content='none, max-snippet:7, x:y'><body><meta name=robots content=all>")
    assert [(d.text, d.kind, d.value) for d in page.directives()] == [
        ("none", "flags", "noindex, nofollow"),
        ("max-snippet:7", "max-snippet", 7),
        ("x:y", "unknown", None),
    ]
    assert (page.end.by, page.end.name, len(page.metas)) == ("tag", "body", 1)
    assert len(read_head("<body><meta name=robots content=all>", document=True).robots_metas("robots")) == 1
    with pytest.raises(robots_policy.InputError):
        read_head("text", charset="utf-8")


def test_only_wanted_facts_are_read():
    html = "<title>A</title><meta name=description content=B><meta name=robots content=none><meta name=GoogleBot content=all>"
    page = read_head(html, wanted=Wanted(["robots", "title"], robots=["robots", "googlebot"]))
    assert [meta.name for meta in page.metas] == ["robots", "GoogleBot"]
    assert (page.title, page.description) == ("A", None)
    assert [meta.name for meta in read_head(html, wanted=Wanted("robots")).metas] == ["robots"]
    assert [meta.name for meta in read_head(html, wanted=Wanted("robots", robots="googlebot")).metas] == ["GoogleBot"]
    assert read_head(html, wanted=Wanted([])).metas == []
    assert Wanted("title") == Wanted(["title"]) != Wanted(["title", "robots"])
    for unknown in ("ROBOTS", "links", "\u202e"):
        with pytest.raises(robots_policy.InputError, match="is no kind of facts: robots, description"):
            Wanted(unknown)


def test_the_default_policy_is_installed_once():
    program = """
import robots_policy as r
assert r.decide("https://example.com/", "<meta name=robots content=noindex>").index == "no"
policy = r.Policy("ExampleBot")
r.install(policy)
policy.learn("https://example.com/", b"User-agent: *\\nDisallow: /")
assert r.decide("https://example.com/").fetch == "disallow"
try:
    r.install(policy)
except r.AlreadyInstalled:
    print("done")
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == "done\n"


def test_threads_share_a_policy():
    policy = Policy("a")
    policy.learn(URL, b"User-agent: *\nDisallow: /x")
    failures = []

    def work():
        for number in range(500):
            if policy.decide(f"https://example.com/x{number}", b"<p>").fetch is not Fetch.DISALLOW:
                failures.append(number)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_shown_values_have_no_control_characters():
    odd = "\x1b[31m\n\u202e"
    policy = Policy("ExampleBot")
    decision = policy.decide(f"https://example.com/{odd}", f"<meta name=robots content='x{odd}y, noindex'>")
    url = "https://example.com/" + odd
    assert decision.url == url
    robots = RobotsTxt(f"User-agent: *\nDisallow: /\x1b[31m\u202e".encode())
    verdict = robots.rules("a").verdict("/\x1b[31m\u202e")
    facts = read_head(f"<meta name=robots content='x{odd}y, noindex'>")
    directive = facts.directives(["robots"])[0]
    assert "\x1b" in directive.text and "\x1b" in verdict.rule.text
    changes = diff(RobotsTxt(b""), robots)
    assert len(changes) == 1
    agent = Agent(f"a{odd}")
    values = [decision, verdict, verdict.rule, directive, changes[0], changes[0].after, agent]
    values += [*decision.reasons, *decision.warnings, *facts.metas]
    for value in values:
        assert repr(value).isprintable(), value
    assert str(verdict.rule).isprintable() and str(verdict).isprintable()
    assert repr(decision).endswith(r"https://example.com/\u{1b}[31m\n\u{202e}>")


def test_a_tdmrep_json_counts_for_its_origin():
    policy = Policy("ExampleBot")
    policy.learn("https://example.com/", b"")
    policy.learn_tdmrep("https://example.com/", b'[{"location": "/closed", "tdm-reservation": 1}]')
    assert [policy.decide(f"https://example.com/{path}", b"").may_train for path in ("closed", "open")] == ["no", "yes"]
    policy.learn_tdmrep("https://example.com/", "[]")
    assert policy.decide("https://example.com/closed", b"").may_train == "yes"
    with pytest.raises(robots_policy.InputError, match="not a JSON array, at line 1, column 1"):
        policy.learn_tdmrep("https://example.com/", b"<html>")
    # It may reserve anything.
    decision = policy.decide("https://example.com/open", b"")
    assert (decision.may_train, [warning.kind for warning in decision.warnings]) == ("unknown", ["tdmrep_unread"])
    with pytest.raises(robots_policy.UrlError):
        policy.learn_tdmrep("/x", b"[]")


def test_a_page_that_was_fetched_keeps_its_robots_txt():
    policy, url, day = Policy("ExampleBot"), "https://example.com/private", 86_400
    policy.learn(url, b"User-agent: *\nDisallow: /private", at=0)
    assert policy.decide(url, at=2 * day).fetch == "unknown"
    page = b"<meta name=robots content='unavailable_after: 1970-01-02'>"
    for at, index in ((0, "yes"), (2 * day, "no")):
        decision = policy.decide("https://example.com/", page, at=at, captured_at=2 * day)
        assert (decision.fetch, decision.index) == ("allow", index)
    assert policy.decide(url, captured_at=2 * day).fetch == "disallow"


def test_licences_of_rsl_decide():
    policy = Policy("ExampleBot")
    policy.learn("https://example.com/", b"License: https://example.com/license.xml")
    license = '<rsl><content url="/"><license><permits type="usage">search</permits></license></content></rsl>'
    url = "https://example.com/license.xml"
    decision = policy.decide("https://example.com/x", "<p>", licenses={url: license})
    assert (decision.ai_train, decision.ai_input, decision.ai_search) == ("disallow", "disallow", "allow")
    source = decision.reasons_for("ai_train")[0].source
    assert (source.kind, source.line, str(source)) == ("rsl", 1, "RSL licence line 1")
    assert policy.decide("https://example.com/x", "<p>", licenses={url: b"{}"}).warnings[0].kind == "rsl_unread"
    assert policy.decide("https://example.com/x", "<p>", licenses=None).ai_train == "unknown"
    with pytest.raises(robots_policy.UrlError):
        policy.decide("https://example.com/x", "<p>", licenses={"/license.xml": license})
