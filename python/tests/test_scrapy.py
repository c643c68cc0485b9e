"""The components for Scrapy: their settings, and a crawl of the fixture sites by a real spider."""

import json
import os
import re
import subprocess
import sys
import time
import tomllib
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urljoin
from urllib.request import ProxyHandler, build_opener

import pytest

from robots_policy import Policy, RobotsTxt

pytest.importorskip("scrapy", reason="Scrapy is not installed")

HERE = Path(__file__).resolve().parent
FIXTURES = HERE.parents[1] / "tests" / "fixtures"
AGENT = "ExampleBot"
SITES = sorted(FIXTURES.glob("sites/*/site.toml"))
ORIGINS = [tomllib.loads(site.read_text())["origin"] for site in SITES]


@pytest.fixture(scope="module")
def proxy(tmp_path_factory):
    """Serves the fixture sites, and returns the address of their proxy."""
    port = tmp_path_factory.mktemp("proxy") / "port"
    server = subprocess.Popen([sys.executable, FIXTURES / "serve.py", "--port", "0", "--port-file", port])
    while not (port.exists() and port.read_text().strip()):
        assert server.poll() is None
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port.read_text().strip()}"
    server.terminate()
    server.wait()


def crawl(proxy, folder, **settings):
    """Crawls the fixture sites with Scrapy. Returns the items, and what the spider reports."""
    settings = {
        "EXTENSIONS": {"robots_policy.scrapy.CrawlDelay": 500},
        "ROBOTSTXT_OBEY": True,
        "ROBOTSTXT_PARSER": "robots_policy.scrapy.RobotParser",
        "ROBOTS_POLICY_MAX_DELAY": 0.05,
        "SPIDER_MIDDLEWARES": {"robots_policy.scrapy.PageRobotsMiddleware": 850},
        "TELNETCONSOLE_ENABLED": False,
        "USER_AGENT": f"Mozilla/5.0 (compatible; {AGENT}/1.0; +https://example.com/bot)",
        **settings,
    }
    items, report = folder / "items.jsonl", folder / "report.json"
    command = [sys.executable, "-m", "scrapy", "runspider", HERE / "fixture_spider.py", "-o", items]
    command += ["-a", f"urls={' '.join(f'{origin}/' for origin in ORIGINS)}", "-a", f"report={report}"]
    for name, value in settings.items():
        command += ["-s", f"{name}={json.dumps(value) if isinstance(value, dict) else value}"]
    environment = {**os.environ, "http_proxy": proxy, "no_proxy": ""}
    run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0 and "Traceback" not in run.stderr, run.stderr
    return [json.loads(line) for line in items.read_text().splitlines()], json.loads(report.read_text()), run.stderr


class Links(HTMLParser):
    """The links of a page."""

    def __init__(self, page):
        super().__init__()
        self.urls = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        if tag == "a" and (link := dict(attrs).get("href")):
            self.urls.append(link)


def expected(proxy):
    """Crawls the fixture sites without Scrapy. Returns the decision for each page that may be fetched and is linked by
    pages whose links may be followed."""
    opener = build_opener(ProxyHandler({"http": proxy}))
    opener.addheaders = []
    policy = Policy(AGENT)
    rules = {origin: None for origin in ORIGINS}
    decisions, waiting = {}, [f"{origin}/" for origin in ORIGINS]
    while waiting:
        url = waiting.pop().partition("#")[0]
        origin = re.match(r"https?://[^/]*", url)
        if url in decisions or origin is None or origin[0] not in rules:
            continue
        if rules[origin[0]] is None:
            with opener.open(f"{origin[0]}/robots.txt") as response:
                rules[origin[0]] = RobotsTxt(response.read()).rules(AGENT)
        if not rules[origin[0]].allowed(url):
            continue
        try:
            response = opener.open(url)
        except OSError as error:
            response = error
        with response:
            body, headers = response.read(), response.headers.items()
        is_html = response.headers["Content-Type"].startswith("text/html")
        decision = policy.decide(url, body if is_html else None, headers=headers, not_html=not is_html)
        decisions[url] = decision
        if is_html and decision.may_follow:
            links = Links(body.decode("utf-8", "replace")).urls
            waiting += [urljoin(url, link) for link in links]
    return decisions


def test_a_spider_crawls_the_fixture_sites(proxy, tmp_path):
    decisions = expected(proxy)
    items, report, log = crawl(proxy, tmp_path, LOG_LEVEL="DEBUG")
    assert report["reason"] == "finished"
    assert set(report["seen"]) == set(decisions) and len(decisions) > 12
    wanted = {url for url, decision in decisions.items() if decision.may_index}
    assert {item["url"] for item in items} == wanted and len(wanted) < len(decisions)
    stats = report["stats"]
    assert stats["robots_policy/noindex/items_dropped"] == len(decisions) - len(wanted)
    assert stats["robots_policy/nofollow/requests_dropped"] > 0 and stats["robotstxt/forbidden"] > 0
    # The reasons are in the log.
    for decision in decisions.values():
        for reason in decision.reasons_for("index") if not decision.may_index else []:
            assert str(reason) in log
    # Joe asks for ten seconds; the setting limits them.
    assert report["slots"]["www.joes-hardware.com"] == [0.05, 0.0]
    assert stats["robots_policy/crawl_delay/hosts"] == 1


def test_items_are_marked(proxy, tmp_path):
    decisions = expected(proxy)
    items, report, _ = crawl(proxy, tmp_path, ROBOTS_POLICY_NOINDEX="mark", ROBOTS_POLICY_FIELD="robots")
    assert {item["url"] for item in items} == set(decisions)
    marked = {item["url"]: item["robots"] for item in items if "robots" in item}
    assert marked == {url: decision.to_dict() for url, decision in decisions.items() if not decision.may_index}
    assert report["stats"]["robots_policy/noindex/items_marked"] == len(marked)


def test_items_without_the_field_are_kept(caplog):
    import scrapy
    from scrapy.utils.test import get_crawler

    from robots_policy.scrapy import PageRobotsMiddleware

    class Item(scrapy.Item):
        url = scrapy.Field()

    class MarkedItem(Item):
        robots_policy = scrapy.Field()

    @dataclass
    class Data:
        url: str

    @dataclass(frozen=True)
    class Frozen:
        url: str
        robots_policy: object = None

    crawler = get_crawler(scrapy.Spider, {"ROBOTS_POLICY_NOINDEX": "mark"})
    crawler.spider = crawler._create_spider("name")
    middleware = PageRobotsMiddleware(crawler)
    response = scrapy.http.HtmlResponse(
        "https://example.com/", request=scrapy.Request("https://example.com/"), body=b"<meta name=robots content=noindex>"
    )
    middleware.process_spider_input(response)
    items = [{"url": "a"}, Item(url="b"), Item(url="c"), Data("d"), Frozen("e"), MarkedItem(url="f")]
    returned = [middleware.get_processed_item(item, response) for item in items]
    assert all(item is other for item, other in zip(items, returned, strict=True))
    assert items[0]["robots_policy"]["index"] == items[5]["robots_policy"]["index"] == "no"
    assert crawler.stats.get_value("robots_policy/noindex/items_marked") == 2
    assert crawler.stats.get_value("robots_policy/noindex/items_without_field") == 4
    logged = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert len(logged) == 3 and all("'robots_policy' of ROBOTS_POLICY_FIELD" in text for text in logged)


def test_settings_are_checked(tmp_path):
    from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
    from scrapy.utils.test import get_crawler

    from robots_policy import AgentError, DialectError, InputError, ProfileError
    from robots_policy.scrapy import PageRobotsMiddleware, RobotParser

    with pytest.raises(InputError, match="ROBOTS_POLICY_NOINDEX 'no': expected 'drop' or 'mark'"):
        PageRobotsMiddleware(get_crawler(settings_dict={"ROBOTS_POLICY_NOINDEX": "no"}))
    with pytest.raises(ProfileError, match="ROBOTS_POLICY_PROFILE"):
        PageRobotsMiddleware(get_crawler(settings_dict={"ROBOTS_POLICY_PROFILE": "gogle"}))
    browser = "Mozilla/5.0 (X11; Linux x86_64) Chrome/120.0 Safari/537.36"
    with pytest.raises(AgentError, match="'Mozilla/5.0 .* does not name a robot: set ROBOTS_POLICY_AGENT"):
        PageRobotsMiddleware(get_crawler(settings_dict={"USER_AGENT": browser}))
    # Scrapy makes this middleware, and that a parser, before the first request.
    settings = {"ROBOTSTXT_OBEY": True, "ROBOTSTXT_PARSER": "robots_policy.scrapy.RobotParser", "ROBOTS_POLICY_DIALECT": "rfc"}
    with pytest.raises(DialectError, match="ROBOTS_POLICY_DIALECT.*rfc"):
        RobotsTxtMiddleware(get_crawler(settings_dict=settings))
    with pytest.raises(DialectError):
        RobotParser(b"", "rfc")
    assert not RobotParser(b"User-agent: a\nDisallow: /").allowed(b"https://example.com/\xff", b"a/1.0")


def test_robots_txt_is_for_the_robot_of_the_settings():
    from scrapy.utils.test import get_crawler

    from robots_policy.scrapy import RobotParser

    body = b"User-agent: ExampleBot\nDisallow: /no\nCrawl-delay: 3\n\nUser-agent: *\nDisallow: /star"
    browser = "Mozilla/5.0 (X11; Linux x86_64) Chrome/120.0 Safari/537.36"
    parser = RobotParser.from_crawler(get_crawler(settings_dict={"ROBOTS_POLICY_AGENT": "ExampleBot"}), body)
    for user_agent in (browser, browser.encode(), "OtherBot"):
        assert not parser.allowed("https://example.com/no/x", user_agent)
        assert parser.allowed("https://example.com/star", user_agent)
        assert parser.crawl_delay(user_agent) == 3
    parser = RobotParser.from_crawler(get_crawler(), body)
    assert parser.allowed("https://example.com/no", "OtherBot") and not parser.allowed("https://example.com/no", "ExampleBot")


def test_the_robot_of_the_settings_crawls(proxy, tmp_path):
    decisions = expected(proxy)
    browser = "Mozilla/5.0 (X11; Linux x86_64) Chrome/120.0 Safari/537.36"
    _, report, _ = crawl(proxy, tmp_path, USER_AGENT=browser, ROBOTS_POLICY_AGENT=AGENT)
    assert set(report["seen"]) == set(decisions)
