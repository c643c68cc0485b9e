"""The components for Scrapy: their settings, and crawls by a real spider, with Scrapy's own middleware for comparison."""

import asyncio
import json
import os
import re
import subprocess
import sys
import threading
import time
import tomllib
from collections import Counter
from dataclasses import dataclass
from html.parser import HTMLParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urljoin
from urllib.request import ProxyHandler, build_opener

import pytest

from robots_policy import Policy

pytest.importorskip("scrapy", reason="Scrapy is not installed")

HERE = Path(__file__).resolve().parent
FIXTURES = HERE.parents[1] / "tests" / "fixtures"
AGENT = "ExampleBot"
SITES = sorted(FIXTURES.glob("sites/*/site.toml"))
ORIGINS = [tomllib.loads(site.read_text())["origin"] for site in SITES]


@pytest.fixture(scope="module", autouse=True)
def installed_reactor():
    """Installs a reactor, without which Scrapy 2.13 makes no crawler."""
    from scrapy.utils.reactor import install_reactor

    install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")


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


def scrapy_run(spider, proxy, folder, settings, **arguments):
    """Runs a spider with Scrapy. Returns the items, what the spider reports, and the log."""
    items, report = folder / "items.jsonl", folder / "report.json"
    command = [sys.executable, "-m", "scrapy", "runspider", HERE / spider, "-O", items, "-a", f"report={report}"]
    for name, value in arguments.items():
        command += ["-a", f"{name}={value}"]
    for name, value in {"TELNETCONSOLE_ENABLED": False, **settings}.items():
        command += ["-s", f"{name}={json.dumps(value) if isinstance(value, dict) else value}"]
    environment = {**os.environ, "http_proxy": proxy, "no_proxy": ""}
    run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    # Scrapy's own middleware logs one for a robots.txt that cannot be fetched.
    assert "Traceback" not in run.stderr or "ADDONS" not in settings, run.stderr
    return [json.loads(line) for line in items.read_text().splitlines()], json.loads(report.read_text()), run.stderr


def crawl(proxy, folder, **settings):
    """Crawls the fixture sites with Scrapy. Returns the items, what the spider reports, and the log."""
    settings = {
        "ADDONS": {"robots_policy.scrapy.RobotsAddon": 500},
        "ROBOTS_POLICY_MAX_DELAY": 0.05,
        "USER_AGENT": f"Mozilla/5.0 (compatible; {AGENT}/1.0; +https://example.com/bot)",
        **settings,
    }
    urls = " ".join(f"{origin}/" for origin in ORIGINS)
    return scrapy_run("fixture_spider.py", proxy, folder, settings, urls=urls)


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
    known, decisions, waiting = set(), {}, [f"{origin}/" for origin in ORIGINS]
    while waiting:
        url = waiting.pop().partition("#")[0]
        origin = re.match(r"https?://[^/]*", url)
        if url in decisions or origin is None or origin[0] not in ORIGINS:
            continue
        if origin[0] not in known:
            known.add(origin[0])
            with opener.open(f"{origin[0]}/robots.txt") as response:
                policy.learn(url, response.read())
        if not policy.decide(url).may_fetch:
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


def test_settings_are_checked():
    from scrapy.exceptions import NotConfigured
    from scrapy.utils.test import get_crawler

    from robots_policy import AgentError, DialectError, InputError, ProfileError
    from robots_policy.scrapy import PageRobotsMiddleware, RobotParser, RobotsTxtMiddleware

    def crawler(**settings):
        return get_crawler(settings_dict={"ROBOTSTXT_OBEY": True, **settings})

    with pytest.raises(InputError, match="ROBOTS_POLICY_NOINDEX 'no': expected 'drop' or 'mark'"):
        PageRobotsMiddleware(crawler(ROBOTS_POLICY_NOINDEX="no"))
    browser = "Mozilla/5.0 (X11; Linux x86_64) Chrome/120.0 Safari/537.36"
    for middleware in (PageRobotsMiddleware, RobotsTxtMiddleware):
        with pytest.raises(ProfileError, match="ROBOTS_POLICY_PROFILE"):
            middleware(crawler(ROBOTS_POLICY_PROFILE="gogle"))
        with pytest.raises(AgentError, match="'Mozilla/5.0 .* does not name a robot: set ROBOTS_POLICY_AGENT"):
            middleware(crawler(USER_AGENT=browser))
    for name in ("ROBOTS_POLICY_MAX_AGE", "ROBOTS_POLICY_TIMEOUT", "ROBOTS_POLICY_RETRY_PAUSE"):
        for seconds in (0, 0.5):
            with pytest.raises(InputError, match=f"unexpected {name} {seconds}: expected at least 1 second"):
                RobotsTxtMiddleware(crawler(**{name: seconds}))
    with pytest.raises(NotConfigured):
        RobotsTxtMiddleware(get_crawler(settings_dict={"ROBOTSTXT_OBEY": False}))
    # Scrapy makes a parser before the first request.
    with pytest.raises(ProfileError, match="ROBOTS_POLICY_PROFILE"):
        RobotParser.from_crawler(crawler(ROBOTS_POLICY_PROFILE="gogle"), b"")
    with pytest.raises(DialectError):
        RobotParser(b"", "rfc")
    assert not RobotParser(b"User-agent: a\nDisallow: /").allowed(b"https://example.com/\xff", b"a/1.0")


def test_an_older_scrapy_is_refused():
    code = "import scrapy; scrapy.version_info, scrapy.__version__ = (2, 12, 0), '2.12.0'; import robots_policy.scrapy"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "ImportError: robots_policy.scrapy needs Scrapy 2.13 or newer: this is 2.12.0" in run.stderr


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
    # The profile reads the file: the first rule that matches decides in 1996, the longest today.
    body = b"User-agent: *\nDisallow: /a\nAllow: /a/b"
    for profile, is_allowed in ((None, True), ("koster1996", False)):
        parser = RobotParser.from_crawler(get_crawler(settings_dict={"ROBOTS_POLICY_PROFILE": profile}), body)
        assert parser.allowed("https://example.com/a/b", "ExampleBot") is is_allowed
    # Engines request every robots.txt, although a dialect may leave it to its callers.
    for profile in (None, "google"):
        parser = RobotParser.from_crawler(get_crawler(settings_dict={"ROBOTS_POLICY_PROFILE": profile}), b"User-agent: *\nDisallow: /")
        assert parser.allowed("https://example.com/robots.txt", "Googlebot")


def test_the_robot_of_the_settings_crawls(proxy, tmp_path):
    decisions = expected(proxy)
    browser = "Mozilla/5.0 (X11; Linux x86_64) Chrome/120.0 Safari/537.36"
    _, report, _ = crawl(proxy, tmp_path, USER_AGENT=browser, ROBOTS_POLICY_AGENT=AGENT)
    assert set(report["seen"]) == set(decisions)


RULES = b"User-agent: *\nDisallow: /private\n"
PAGE = b"<title>A page</title>"


class Sites:
    """Sites on loopback, behind a proxy. A response is a status, headers and a body, or a list of them, the last of which repeats;
    None is never answered."""

    def __init__(self, responses):
        self.responses = responses
        #: The URLs, in the order of the responses.
        self.log = []
        self.stop = threading.Event()
        sites, lock = self, threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                url = self.path
                response = sites.responses.get(url.removeprefix("http://"), (200, {"Content-Type": "text/html"}, PAGE))
                with lock:
                    if isinstance(response, list):
                        response = response.pop(0) if len(response) > 1 else response[0]
                if response is None:
                    sites.stop.wait()
                    self.close_connection = True
                    return
                status, headers, body = response
                with lock:
                    sites.log.append(url)
                self.send_response(status)
                for name, value in {"Content-Type": "text/plain", "Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.server.shutdown()
        self.server.server_close()

    def requests_of(self, path):
        """The number of requests for a path, by host."""
        return Counter(url.split("/")[2] for url in self.log if url.endswith(path))

    def crawl(self, folder, *steps, has_addon=True, pause=2.1, allowed=("test",), **settings):
        """Crawls the sites in steps, for each site one after the other."""
        settings = {
            "CONCURRENT_REQUESTS": 64,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 64,
            "DOWNLOAD_DELAY": 0,
            "DOWNLOAD_TIMEOUT": 3,
            "RETRY_ENABLED": False,
            "ROBOTSTXT_OBEY": True,
            "ROBOTS_POLICY_TIMEOUT": 3,
            "USER_AGENT": f"{AGENT}/1.0",
            **({"ADDONS": {"robots_policy.scrapy.RobotsAddon": 500}} if has_addon else {}),
            **settings,
        }
        steps = [[f"http://{url}" for url in step] for step in steps]
        proxy = f"http://127.0.0.1:{self.server.server_port}"
        plan = json.dumps([steps, pause, allowed])
        return scrapy_run("sites_spider.py", proxy, folder, settings, plan=plan)


def html(body, **headers):
    return 200, {"Content-Type": "text/html", **{name.replace("_", "-"): value for name, value in headers.items()}}, body


def result(url, items, report):
    """The result for a page, in the words of README.md."""
    if url not in report["seen"]:
        return "closed"
    return "crawled" if any(item["url"] == url for item in items) else "item dropped"


#: The rows of the table in README.md: for each site, the pages that are visited in each step. The row has the result of the last.
TABLE = {
    "private; `robots.txt` has status 503, or never answers": [[["down.test/private"]], [["silent.test/private"]]],
    "private; 404 with text like rules": [[["missing.test/private"]]],
    "private; redirect outside `allowed_domains`": [[["moved.test/private"]]],
    "private since `robots.txt` changed": [[["changes.test/private"], ["changes.test/private?later"]]],
    "`noindex` (META, header), past `unavailable_after`": [[["noindex.test/"]], [["header.test/"]], [["expired.test/"]]],
    # It is a link of the first page.
    "linked under `nofollow`": [[["nofollow.test/"], [], ["nofollow.test/next"]]],
}


def responses():
    return {
        "changes.test/robots.txt": [(200, {}, b""), (200, {}, RULES)],
        "delay.test/robots.txt": (200, {}, b"User-agent: *\nCrawl-delay: 0.2"),
        "down.test/robots.txt": (503, {}, b""),
        "elsewhere.example/robots": (200, {}, RULES),
        "expired.test/": html(b"<meta name=robots content='unavailable_after: 2020-01-01'>"),
        "header.test/": html(PAGE, X_Robots_Tag="noindex"),
        "missing.test/robots.txt": (404, {}, RULES),
        "moved.test/robots.txt": (301, {"Location": "http://elsewhere.example/robots"}, b""),
        "nofollow.test/": html(b"<meta name=robots content=nofollow><body><a href=/next>"),
        "noindex.test/": html(b"<meta name=robots content=noindex>"),
        "silent.test/robots.txt": None,
    }


def test_the_table_of_the_readme(tmp_path):
    sites = [site for row in TABLE.values() for site in row]
    first, second = ([url for site in sites for urls in site[step : step + 1] for url in urls] for step in (0, 1))
    first += [f"delay.test/{number}" for number in range(4)]
    results, delays = [], []
    for has_addon, throttled in [(False, False), (True, False), (False, True), (True, True)]:
        folder = tmp_path / f"{has_addon}-{throttled}"
        folder.mkdir()
        settings = {"AUTOTHROTTLE_ENABLED": throttled, "AUTOTHROTTLE_START_DELAY": 0.01, "ROBOTS_POLICY_MAX_AGE": 1}
        with Sites(responses()) as sites:
            items, report, log = sites.crawl(folder, first, second, has_addon=has_addon, **settings)
        results.append({row: {result(f"http://{site[-1][-1]}", items, report) for site in sites} for row, sites in TABLE.items()})
        delays.append("delay of the slot" if min(report["delays"]["delay.test"]) >= 0.2 else "ignored")
        if not has_addon:
            continue
        # One request a host; the copy of the site that changes has aged.
        requests = sites.requests_of("/robots.txt")
        assert requests.pop("changes.test") == 2 and set(requests.values()) == {1}
        reasons = {
            "down.test/private": r"status 503 .*requested again from \d{4}-\d\d-\d\dT[\d:]{8}Z$",
            "silent.test/private": r"cannot be reached .*requested again from \d{4}-\d\d-\d\dT[\d:]{8}Z$",
            "moved.test/private": r"line 2: Disallow: /private \(group of \*\)",
            "changes.test/private?later": r"line 2: Disallow: /private \(group of \*\)",
        }
        assert {url.removeprefix("http://") for url in report["ignored"]} == set(reasons)
        for url, reason in reasons.items():
            assert re.search(f"Forbidden by robots.txt: .*{reason}", report["ignored"][f"http://{url}"])
            assert report["decisions"][f"http://{url}"]["fetch"] == "disallow"
        for host in ("down.test", "silent.test"):
            assert re.search(rf"WARNING: No usable robots.txt of http://{host} \(.*requested again from 20", log)
        # Scrapy's names, and the reasons.
        stats = report["stats"]
        counts = {name.removeprefix("robotstxt/"): count for name, count in stats.items() if name.startswith("robotstxt/")}
        exception = next(name for name in counts if name.startswith("exception_count/"))
        assert "Timeout" in exception
        sites_count = len(requests) + 1
        assert counts == {
            "request_count": sites_count + 1 + 1,
            "response_count": sites_count + 1,
            "response_status_count/200": sites_count - 1,
            "response_status_count/404": 1,
            "response_status_count/503": 1,
            "forbidden": 4,
            exception: 1,
        }
        assert stats["robots_policy/forbidden/rule"] == stats["robots_policy/forbidden/outcome"] == 2
        assert stats["robots_policy/crawl_delay/hosts"] == 1
    # AutoThrottle changes none of them but the delay.
    assert results[0] == results[2] and results[1] == results[3]
    assert delays == ["ignored", "delay of the slot"] * 2
    rows = [f"|{row}|{'/'.join(results[0][row])}|{'/'.join(results[1][row])}|" for row in TABLE]
    rows.append("|`Crawl-delay`, AutoThrottle on or off|ignored|delay of the slot|")
    assert "\n".join(rows) in (HERE.parent / "README.md").read_text()


@pytest.mark.parametrize("reactor", ["asyncioreactor.AsyncioSelectorReactor", "selectreactor.SelectReactor"])
def test_requests_wait_for_one_request_for_robots_txt(tmp_path, reactor):
    hosts = ["rules.test", "down.test", "silent.test", "moved.test"]
    urls = [f"{host}/private/{number}" for number in range(10) for host in hosts]
    with Sites({**responses(), "rules.test/robots.txt": (200, {}, RULES)}) as sites:
        settings = {"TWISTED_REACTOR": f"twisted.internet.{reactor}", "RETRY_ENABLED": True}
        _, report, _ = sites.crawl(tmp_path, [*urls, "rules.test/open"], **settings)
    assert report["seen"] == ["http://rules.test/open"]
    assert set(report["ignored"]) == {f"http://{url}" for url in urls}
    # The one that is never answered is not in the log.
    assert sites.requests_of("/robots.txt") == {"rules.test": 1, "down.test": 1, "moved.test": 1}
    assert report["stats"]["robotstxt/request_count"] == len(hosts)
    assert report["stats"]["robotstxt/forbidden"] == len(urls)


def test_a_site_is_asked_again_after_a_failure(tmp_path):
    with Sites({"down.test/robots.txt": [(503, {}, b""), (200, {}, RULES)]}) as sites:
        steps = [["down.test/open"], ["down.test/open", "down.test/private"]]
        _, report, _ = sites.crawl(tmp_path, *steps, pause=1.1, ROBOTS_POLICY_RETRY_PAUSE=1, HTTPCACHE_ENABLED=True)
    assert report["seen"] == ["http://down.test/open"]
    assert "status 503" in report["ignored"]["http://down.test/open"]
    assert "Disallow: /private" in report["ignored"]["http://down.test/private"]
    assert sites.requests_of("/robots.txt") == {"down.test": 2}


@pytest.mark.parametrize("asks_tdmrep", [False, True])
def test_a_decision_is_of_all_sources(tmp_path, asks_tdmrep):
    robots = b"User-agent: *\nContent-Signal: ai-input=no\nCrawl-delay: 0.01\nDisallow: /private"
    page = b"<meta name=robots content=nofollow><title>A page</title>"
    tdmrep = b'[{"location": "/", "tdm-reservation": 1}]'
    sites = {
        "all.test/robots.txt": (200, {}, robots),
        "all.test/.well-known/tdmrep.json": (200, {"Content-Type": "application/json"}, tdmrep),
        "all.test/": html(page, X_Robots_Tag="nosnippet"),
        "none.test/.well-known/tdmrep.json": (404, {}, b""),
        "broken.test/.well-known/tdmrep.json": (200, {}, b"<html>"),
        "closed.test/robots.txt": (200, {}, b"User-agent: *\nDisallow: /.well-known"),
    }
    hosts = ["all.test", "none.test", "broken.test", "closed.test"]
    with Sites(sites) as sites:
        urls = [f"{host}/{path}" for path in ("", "two", "three") for host in hosts]
        _, report, log = sites.crawl(tmp_path, urls, ROBOTS_POLICY_TDMREP=asks_tdmrep)
    policy = Policy(AGENT)
    policy.learn("http://all.test/", robots)
    if asks_tdmrep:
        policy.learn_tdmrep("http://all.test/", tdmrep)
    expected = policy.decide("http://all.test/", page, headers={"X-Robots-Tag": "nosnippet"}).to_dict()
    decision = report["decisions"]["http://all.test/"]
    fields = set(decision) - {"reasons", "warnings"}
    assert {field: decision[field] for field in fields} == {field: expected[field] for field in fields}
    for field, value in {"fetch": "allow", "follow": "no", "snippet": 0, "ai_input": "disallow", "crawl_delay": 0.01}.items():
        assert decision[field] == value, field
    assert decision["may_train"] == ("no" if asks_tdmrep else "yes")
    assert len(report["seen"]) == len(urls)
    others = [report["decisions"][f"http://{host}/"]["may_train"] for host in hosts[1:]]
    # What a file that cannot be read, or was not requested, reserves is not known.
    unread = "unknown" if asks_tdmrep else "yes"
    assert others == ["yes", unread, unread]
    asked = sites.requests_of("/.well-known/tdmrep.json")
    assert asked == ({"all.test": 1, "none.test": 1, "broken.test": 1} if asks_tdmrep else {})
    assert ("Unusable http://broken.test/.well-known/tdmrep.json: not a JSON array" in log) is asks_tdmrep


def test_a_file_that_is_too_large_closes_the_site(tmp_path):
    with Sites({"large.test/robots.txt": (200, {}, b"User-agent: *\nAllow: /\n" + b"#" * 2000)}) as sites:
        _, report, _ = sites.crawl(tmp_path, ["large.test/", "none.test/"], DOWNLOAD_MAXSIZE=1000)
    assert report["seen"] == ["http://none.test/"] and "cannot be reached" in report["ignored"]["http://large.test/"]


@pytest.mark.parametrize("is_disabled", [False, True])
def test_noindex_applies_where_robots_txt_is_not_obeyed(tmp_path, is_disabled):
    settings = {"SPIDER_MIDDLEWARES": {"robots_policy.scrapy.PageRobotsMiddleware": None}} if is_disabled else {}
    with Sites(responses()) as sites:
        items, report, _ = sites.crawl(tmp_path, ["noindex.test/"], ROBOTSTXT_OBEY=False, **settings)
    assert not sites.requests_of("/robots.txt")
    assert result("http://noindex.test/", items, report) == ("crawled" if is_disabled else "item dropped")


class Engine:
    """An engine whose responses are given: a status, headers, a body and flags, or an exception."""

    def __init__(self, *responses):
        self.responses = list(responses)
        self.requests = []
        self.downloader = SimpleNamespace(slots={})

    @property
    def urls(self):
        return [request.url for request in self.requests]

    async def download_async(self, request):
        import scrapy

        self.requests.append(request)
        # Others run meanwhile.
        await asyncio.sleep(0)
        response = self.responses.pop(0)
        if isinstance(response, BaseException):
            raise response
        status, headers, body, *flags = response
        return scrapy.http.Response(request.url, status, headers, body, flags)


@pytest.fixture
def robots_txt(monkeypatch):
    """Returns a function that makes a middleware with a clock. `ask(url, at)` returns the reason why a URL is closed, or None."""
    from scrapy.exceptions import IgnoreRequest
    from scrapy.http import Request
    from scrapy.utils.test import get_crawler

    import robots_policy.scrapy

    def make(*responses, meta=None, **settings):
        engine, made = Engine(*responses), get_crawler(settings_dict={"ROBOTSTXT_OBEY": True, "USER_AGENT": AGENT, **settings})
        crawler = SimpleNamespace(settings=made.settings, stats=made.stats, signals=made.signals, engine=engine, spider=None)
        middleware = robots_policy.scrapy.RobotsTxtMiddleware.from_crawler(crawler)
        crawler.get_downloader_middleware = lambda _: middleware

        def set_clock(at):
            monkeypatch.setattr(robots_policy.scrapy, "time", SimpleNamespace(**{**vars(time), "time": lambda: at}))

        def ask(url, at, headers=None):
            set_clock(at)
            ask.request = Request(url, headers=headers, meta=meta)
            try:
                asyncio.run(middleware.process_request(ask.request))
            except IgnoreRequest as error:
                return str(error)
            return None

        ask.crawler, ask.middleware, ask.set_clock = crawler, middleware, set_clock
        return ask, engine

    return make


PRIVATE, OPEN = "http://a.test/private", "http://a.test/open"
NOW, HOUR = 1_800_000_000, 3600


def test_pauses_after_failures_grow(robots_txt):
    ask, engine = robots_txt(*[(503, {}, b"")] * 9)
    asked, pause, at = 1, 60, NOW
    assert "status 503" in ask(OPEN, at)
    while asked < 9:
        assert ask(OPEN, at).endswith(time.strftime("; requested again from %Y-%m-%dT%H:%M:%SZ", time.gmtime(at + pause)))
        ask(OPEN, at + pause - 1)
        assert len(engine.urls) == asked
        at += pause
        ask(OPEN, at)
        asked, pause = asked + 1, min(2 * pause, HOUR)
        assert len(engine.urls) == asked


@pytest.mark.parametrize(
    ("retry_after", "pause"),
    [("500", 500), ("10", 60), ("x", 60), ("9" * 400, 7 * 24 * HOUR), ("Fri, 15 Jan 2027 08:01:30 GMT", 90)],
)
def test_retry_after_is_honoured(robots_txt, retry_after, pause):
    ask, engine = robots_txt((503, {"Retry-After": retry_after}, b""), (404, {}, b""))
    assert ask(OPEN, NOW) and ask(OPEN, NOW + pause - 1)
    assert ask(OPEN, NOW + pause) is None and len(engine.urls) == 2


def test_the_date_of_retry_after_is_read_by_the_clock_of_the_server(robots_txt):
    headers = {"Retry-After": "Fri, 15 Jan 2021 08:10:00 GMT", "Date": "Fri, 15 Jan 2021 08:00:00 GMT"}
    ask, engine = robots_txt((503, headers, b""), (404, {}, b""))
    assert ask(OPEN, NOW) and ask(OPEN, NOW + 599)
    assert ask(OPEN, NOW + 600) is None and len(engine.urls) == 2


@pytest.mark.parametrize(
    ("headers", "settings", "lifetime"),
    [
        ({}, {}, 24 * HOUR),
        ({"Cache-Control": "public, Max-Age=7200"}, {}, 2 * HOUR),
        ({"Cache-Control": "max-age=7200, s-maxage=3600"}, {}, HOUR),
        ({"Cache-Control": "private, max-age=7200, s-maxage=3600"}, {}, 2 * HOUR),
        ({"Cache-Control": "private, s-maxage=7200"}, {}, 600),
        ({"Cache-Control": "max-age=7200", "Age": "3600"}, {}, HOUR),
        ({"Cache-Control": "max-age=7200", "Vary": "*"}, {}, 600),
        ({"Vary": "*"}, {}, 24 * HOUR),
        ({"Cache-Control": "max-age=7200", "Pragma": "no-cache"}, {}, 2 * HOUR),
        ({"Pragma": "no-cache"}, {}, 600),
        # A day is the longest time under RFC 9309; headers only shorten it.
        ({"Cache-Control": "max-age=" + "9" * 400}, {}, 24 * HOUR),
        ({"Cache-Control": "max-age=" + "9" * 400}, {"ROBOTS_POLICY_PROFILE": "google"}, 30 * 24 * HOUR),
        ({"Cache-Control": "no-store"}, {}, 600),
        ({"Cache-Control": "no-store"}, {"ROBOTS_POLICY_MAX_AGE": 10}, 10),
        ({"Cache-Control": "max-age=7200"}, {"ROBOTS_POLICY_MAX_AGE": HOUR}, HOUR),
        (
            {"Cache-Control": "max-age=99999999"},
            {"ROBOTS_POLICY_MAX_AGE": 240 * HOUR, "ROBOTS_POLICY_PROFILE": "google"},
            240 * HOUR,
        ),
        ({}, {"ROBOTS_POLICY_MAX_AGE": 1000 * HOUR, "ROBOTS_POLICY_PROFILE": "google"}, 24 * HOUR),
        ({"Expires": "Fri, 15 Jan 2027 10:00:00 GMT", "Date": "Fri, 15 Jan 2027 08:00:00 GMT"}, {}, 2 * HOUR),
        ({"Expires": "0"}, {}, 600),
        ({"Cache-Control": " no-transform , max-age = 7200"}, {}, 2 * HOUR),
    ],
)
def test_a_copy_ages(robots_txt, headers, settings, lifetime):
    ask, engine = robots_txt((200, headers, b""), (200, {}, RULES), **settings)
    assert ask(PRIVATE, NOW) is ask(PRIVATE, NOW + lifetime) is None and len(engine.urls) == 1
    assert "Disallow: /private" in ask(PRIVATE, NOW + lifetime + 1)
    assert len(engine.urls) == 2


def test_the_profile_says_what_outcomes_mean(robots_txt):
    # Google waits for twelve hours, and then opens a site whose rules it never had.
    ask, _ = robots_txt(*[(503, {}, b"")] * 2, ROBOTS_POLICY_PROFILE="google")
    assert ask(OPEN, NOW) and ask(OPEN, NOW + 13 * HOUR) is None
    # Yandex takes a 503 for an empty file.
    ask, _ = robots_txt((503, {}, b""), ROBOTS_POLICY_PROFILE="yandex")
    assert ask(OPEN, NOW) is None
    # The body of an error is not a file of rules.
    ask, _ = robots_txt((404, {}, RULES))
    assert ask(PRIVATE, NOW) is None


def test_redirects_are_followed_up_to_a_limit(robots_txt):
    def to(location):
        return 302, {"Location": location}, b""

    ask, engine = robots_txt(*[to("/next")] * 5, (200, {}, RULES))
    assert "Disallow: /private" in ask(PRIVATE, NOW) and len(engine.urls) == 6
    ask, engine = robots_txt(*[to("/next")] * 6)
    assert ask(PRIVATE, NOW) is None and len(engine.urls) == 6
    # Without a target that HTTP can request, it means the same as too many.
    for redirect in (to("ftp://b.test/robots.txt"), to("http://[bad"), to("https://a.test:bad/"), to(""), (302, {}, b"")):
        ask, engine = robots_txt(redirect)
        assert ask(PRIVATE, NOW) is ask(PRIVATE, NOW) is None and len(engine.urls) == 1
    ask, engine = robots_txt(to("//b.test/rules"), (503, {}, b""))
    assert "status 503" in ask(PRIVATE, NOW) and engine.urls == ["http://a.test/robots.txt", "http://b.test/rules"]


def test_a_request_that_a_component_refuses_closes_the_site(robots_txt):
    from scrapy.exceptions import IgnoreRequest

    ask, _ = robots_txt(IgnoreRequest("no"))
    assert "cannot be reached" in ask(OPEN, NOW)


def test_origins_are_asked_apart(robots_txt):
    ask, engine = robots_txt(*[(200, {}, b"")] * 3)
    for url in ("http://a.test/", "http://user:word@A.test/x", "https://a.test/", "http://a.test:8080/", "http://a.test:80/"):
        assert ask(url, NOW) is None
    assert engine.urls == ["http://a.test/robots.txt", "https://a.test/robots.txt", "http://a.test:8080/robots.txt"]


@pytest.mark.parametrize("changed", [(200, {}, b"User-agent: *\nDisallow: /"), (503, {}, b"")])
def test_a_page_keeps_the_robots_txt_of_its_request(robots_txt, changed):
    import scrapy

    from robots_policy.scrapy import PageRobotsMiddleware

    robots = b"User-agent: *\nDisallow: /private\nContent-Signal: ai-train=no"
    ask, engine = robots_txt((200, {}, robots), *[changed] * 4)
    assert ask(OPEN, NOW - 1) is None
    request = ask.request
    pages = PageRobotsMiddleware(ask.crawler)
    ask.crawler.signals.send_catch_log(scrapy.signals.spider_opened)
    # Another one is requested before the download ends.
    for at, index in ((NOW, "yes"), (NOW + 48 * HOUR, "no"), (NOW + 96 * HOUR, "no")):
        ask.set_clock(at)
        headers = {"X-Robots-Tag": f"unavailable_after: {time.strftime('%d %b %Y %H:%M:%S GMT', time.gmtime(NOW + HOUR))}"}
        response = scrapy.http.HtmlResponse(OPEN, headers=headers, request=request, body=PAGE)
        pages.process_spider_input(response)
        decision = response.meta["robots_policy"]
        assert (decision.fetch, decision.index, decision.ai_train) == ("allow", index, "disallow")
        assert ask(OPEN, at + 24 * HOUR)
    assert len(engine.urls) > 2
    # Not obeyed, it is not known either.
    response = scrapy.http.HtmlResponse(PRIVATE, request=scrapy.Request(PRIVATE, meta={"dont_obey_robotstxt": True}), body=PAGE)
    pages.process_spider_input(response)
    assert response.meta["robots_policy"].fetch == "unknown" and pages.get_processed_item("item", response) == "item"


def test_requests_that_need_no_robots_txt_pass(robots_txt):
    ask, engine = robots_txt()
    assert ask("data:,text", NOW) is ask("file:///x", NOW) is None
    ask, engine = robots_txt(meta={"dont_obey_robotstxt": True})
    assert ask(PRIVATE, NOW) is None and not engine.urls


@pytest.mark.parametrize("flag", ["dataloss", "download_stopped"])
def test_a_file_that_was_cut_does_not_count(robots_txt, flag):
    import scrapy

    from robots_policy.scrapy import PageRobotsMiddleware

    ask, _ = robots_txt((200, {}, b"User-agent: *\n", flag))
    assert "cannot be reached" in ask(PRIVATE, NOW)
    request = scrapy.Request(OPEN)
    response = scrapy.http.HtmlResponse(OPEN, request=request, body=b"<title>A</title><meta name=rob", flags=[flag])
    PageRobotsMiddleware(ask.crawler).process_spider_input(response)
    decision = response.meta["robots_policy"].to_dict()
    assert decision == Policy(AGENT).decide(OPEN, response.body, cut_short=True).to_dict()
    assert decision != Policy(AGENT).decide(OPEN, response.body).to_dict()


def test_a_url_that_http_cannot_request_is_refused(robots_txt):
    ask, engine = robots_txt()
    for url in ("http://a%20b.test/", "http://256.256.256.256/", "http:///x"):
        assert "Forbidden by robots.txt" in ask(url, NOW)
    assert not engine.urls


def test_a_request_has_the_robot_of_its_user_agent(robots_txt):
    robots = (200, {}, b"User-agent: OtherBot\nDisallow: /\n\nUser-agent: *\nDisallow: /private")
    other, browser = {"User-Agent": "OtherBot/1.0"}, {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Chrome/120.0 Safari/537.36"}
    ask, engine = robots_txt(robots, robots)
    assert ask(OPEN, NOW) is ask(OPEN, NOW, browser) is None and "group of OtherBot" in ask(OPEN, NOW, other)
    assert [request.headers.get("User-Agent") for request in engine.requests] == [None, b"OtherBot/1.0"]
    for name in ("ROBOTSTXT_USER_AGENT", "ROBOTS_POLICY_AGENT"):
        ask, engine = robots_txt(robots, **{name: AGENT})
        assert ask(OPEN, NOW, other) is None


def test_a_request_for_robots_txt_uses_the_proxy_of_its_page(robots_txt):
    meta = {"proxy": "http://proxy.test:1", "depth": 1}
    ask, engine = robots_txt((302, {"Location": "//b.test/"}, b""), (200, {}, b""), meta=meta)
    assert ask(OPEN, NOW) is None
    for request in engine.requests:
        assert request.meta["proxy"] == "http://proxy.test:1" and "depth" not in request.meta
        # The pause after a failure is instead of Scrapy's.
        assert request.meta["dont_retry"]
    # Scrapy chose it by the scheme.
    ask, engine = robots_txt((200, {}, b""), meta={"proxy": "http://proxy.test:1", "_scheme_proxy": True})
    assert ask(OPEN, NOW) is None and "proxy" not in engine.requests[0].meta


@pytest.mark.parametrize("interrupt", [RuntimeError("in the engine"), asyncio.CancelledError()])
def test_a_request_that_waits_takes_over(robots_txt, interrupt):
    from scrapy.exceptions import IgnoreRequest
    from scrapy.http import Request

    ask, engine = robots_txt(interrupt, (200, {}, RULES))
    ask.set_clock(NOW)

    async def run():
        requests = [ask.middleware.process_request(Request(url)) for url in (OPEN, PRIVATE, OPEN)]
        return await asyncio.gather(*requests, return_exceptions=True)

    results = [None if result is None else type(result) for result in asyncio.run(run())]
    if isinstance(interrupt, Exception):
        # It is a failure, which closes the site for all.
        assert results == [IgnoreRequest] * 3 and len(engine.urls) == 1
    else:
        assert results == [asyncio.CancelledError, IgnoreRequest, None] and len(engine.urls) == 2


def test_delays_follow_the_newest_robots_txt(robots_txt):
    import scrapy

    def robots(delay):
        return 200, {}, b"User-agent: *\nCrawl-delay: " + delay

    ask, engine = robots_txt(robots(b"5"), robots(b"2"), robots(b"0"), meta={"download_slot": "a.test"})
    slot = engine.downloader.slots["a.test"] = SimpleNamespace(delay=1.0, jitter=0.5)
    delays = []
    for day in range(3):
        assert ask(OPEN, NOW + day * 25 * HOUR) is None
        ask.crawler.signals.send_catch_log(scrapy.signals.request_reached_downloader, request=ask.request, spider=None)
        # As AutoThrottle does.
        slot.delay = slot.delay if day else 1.5
        ask.crawler.signals.send_catch_log(scrapy.signals.response_downloaded, request=ask.request, response=None, spider=None)
        delays.append((slot.delay, slot.jitter))
    assert delays == [(5, 0), (2, 0), (1.5, 0.5)]
    assert ask.crawler.stats.get_value("robots_policy/crawl_delay/hosts") == 1


def test_the_number_of_known_sites_is_limited(robots_txt, monkeypatch):
    import robots_policy.scrapy

    monkeypatch.setattr(robots_policy.scrapy, "MAX_SITES", 2)
    ask, engine = robots_txt(*[(503, {}, b"")] * 5)
    # The site that was not visited for the longest time is forgotten.
    for host, asked in (("a", 1), ("b", 2), ("a", 2), ("c", 3), ("a", 3), ("b", 4)):
        assert ask(f"http://{host}.test/", NOW) and len(engine.urls) == asked


def test_requests_wait_for_tdmrep(robots_txt):
    from scrapy.http import Request

    ask, engine = robots_txt((200, {}, b""), (404, {}, b""), ROBOTS_POLICY_TDMREP=True)
    ask.set_clock(NOW)

    async def run():
        first = asyncio.create_task(ask.middleware.process_request(Request(OPEN)))
        while len(engine.urls) < 2:
            await asyncio.sleep(0)
        await ask.middleware.process_request(Request(OPEN))
        assert first.done()

    asyncio.run(run())
