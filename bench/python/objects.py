"""Times the Python package beside other libraries in Python, on the corpus.

Usage: python bench/python/objects.py [FOLDER]

FOLDER has robots.warc.gz and crawl.warc.gz; by default it is the folder corpus of $ROBOTS_CORPUS, else of ../shared, next to
the repository. Needs the package and its peers: pip install protego robotspy robotexclusionrulesparser selectolax lxml
beautifulsoup4 resiliparse fastwarc.

Prints a table for bench/RESULTS.md. Times are CPU time of this process, the least of five rounds; in a round, our functions
and a peer's work on the same inputs, one after the other. A slow peer gets only every n-th input (EVERY), and so do ours
in its row. Peers get text that was decoded before.
"""

import gc
import os
import sys
import time
import warnings
from importlib.metadata import version
from pathlib import Path
from urllib.robotparser import RobotFileParser

from bs4 import BeautifulSoup, SoupStrainer
from fastwarc.warc import ArchiveIterator, WarcRecordType
from lxml import html as lxml_html
from protego import Protego
from resiliparse.parse.html import HTMLTree
from robotexclusionrulesparser import RobotExclusionRulesParser
from robots import RobotsParser as RobotspyParser
from selectolax.lexbor import LexborHTMLParser

from robots_policy import RobotsTxt, Wanted, read_head

AGENT = "Googlebot"
SITE = "https://example.com"
# Each site is asked about as many of its rules' paths as it has, up to four, and about these; eight in all.
OTHER_PATHS = [
    "/",
    "/index.html",
    "/articles/2020/01/a-title?page=2",
    "/images/logo.png",
    "/search?q=robots",
    "/about/",
    "/a/b/c/d.html",
    "/feed.xml",
]
URLS = 8
ROUNDS = 5
EVERY = {"robotspy": 10, "robotexclusionrulesparser": 10, "Beautiful Soup": 40}
TARGETS = {"Protego": "20", "selectolax": "50"}
WITHOUT_TARGET = "the same, and all other facts of HEAD"


def corpus():
    if len(sys.argv) > 1:
        return Path(sys.argv[1])
    shared = os.environ.get("ROBOTS_CORPUS") or Path(__file__).parents[3] / "shared"
    return Path(shared) / "corpus"


def responses(path):
    """Yields the media type and the body of each response with status 200."""
    with open(path, "rb") as file:
        for record in ArchiveIterator(file, record_types=WarcRecordType.response, parse_http=True):
            if record.http_headers and record.http_headers.status_code == 200:
                yield record.http_content_type or "", record.reader.read()


def questions(text):
    """Returns eight URLs for a robots.txt."""
    paths = []
    for line in text.splitlines():
        field, _, value = line.partition(":")
        path = value.split("#")[0].strip().rstrip("$").replace("*", "x")
        is_rule = field.strip().lower() in ("allow", "disallow")
        if is_rule and path.startswith("/") and path.isascii() and " " not in path:
            paths.append(path)
        if len(paths) == 4:
            break
    return [SITE + path for path in (paths + OTHER_PATHS)[:URLS]]


def seconds(function, inputs, times):
    """Returns the CPU time for all inputs; the function gets each so many times in a row."""
    gc.collect()
    gc.disable()
    before = time.process_time()
    for item in inputs:
        for _ in range(times):
            function(item)
    taken = time.process_time() - before
    gc.enable()
    return taken


def print_row(what, ours, name, peer, inputs, times=1, parts=1):
    """Prints our time and a peer's for a part of an input, and the ratio."""
    rounds = [(seconds(ours, inputs, times), seconds(peer, inputs, times)) for _ in range(ROUNDS)]
    our, their = (min(times_of_one) * 1e6 / (len(inputs) * times * parts) for times_of_one in zip(*rounds))
    row = [what, f"{our:.3f} us", name, f"{their:.2f} us", f"{their / our:.1f}"]
    row.append("" if what == WITHOUT_TARGET else TARGETS.get(name, ""))
    print("|", " | ".join(row), "|", flush=True)


def parsed_by_urllib(text):
    parser = RobotFileParser()
    parser.parse(text.splitlines())
    return parser


def parsed_by_exclusion_rules_parser(text):
    parser = RobotExclusionRulesParser()
    parser.parse(text)
    return parser


PARSERS = {
    "Protego": Protego.parse,
    "urllib.robotparser": parsed_by_urllib,
    "robotspy": RobotspyParser.from_string,
    "robotexclusionrulesparser": parsed_by_exclusion_rules_parser,
}


def ask_ours(site):
    allowed = site[0].allowed
    for url in site[2]:
        allowed(url)


def ask_protego(site):
    can_fetch = site[1].can_fetch
    for url in site[2]:
        can_fetch(url, AGENT)


def ask_like_urllib(site):
    can_fetch = site[1].can_fetch
    for url in site[2]:
        can_fetch(AGENT, url)


def ask_exclusion_rules_parser(site):
    is_allowed = site[1].is_allowed
    for url in site[2]:
        is_allowed(AGENT, url)


ASKERS = {
    "Protego": ask_protego,
    "urllib.robotparser": ask_like_urllib,
    "robotspy": ask_like_urllib,
    "robotexclusionrulesparser": ask_exclusion_rules_parser,
}


def print_robots_txt(bodies):
    """Prints the rows of parsing robots.txt files, and of asking about URLs."""
    files = [(body, body.decode("utf-8", "replace")) for body in bodies]
    for name, parse in PARSERS.items():
        print_row(
            "robots.txt: parse, and rules of one robot",
            lambda file: RobotsTxt(file[0]).rules(AGENT),
            name,
            lambda file, parse=parse: parse(file[1]),
            files[:: EVERY.get(name, 1)],
        )
    for what, times in (("allowed(url), each once", 1), ("allowed(url), those of a site 16 times in a row", 16)):
        for name, parse in PARSERS.items():
            # For each site: our rules, the peer's, and the URLs.
            sites = [
                (RobotsTxt(body).rules(AGENT), parse(text), questions(text))
                for body, text in files[:: EVERY.get(name, 1)]
            ]
            print_row(what, ask_ours, name, ASKERS[name], sites, times, URLS)


def by_selectolax(html):
    for meta in LexborHTMLParser(html).css("head meta[name]"):
        if (meta.attributes.get("name") or "").lower() == "robots":
            meta.attributes.get("content")


def by_lxml(html):
    for meta in lxml_html.fromstring(html).iterfind(".//meta[@name]"):
        if meta.get("name").lower() == "robots":
            meta.get("content")


def by_resiliparse(html):
    for meta in HTMLTree.parse_from_bytes(html).head.query_selector_all("meta[name]"):
        if meta.getattr("name").lower() == "robots":
            meta.getattr("content")


def by_soup(html):
    for meta in BeautifulSoup(html, "html.parser", parse_only=SoupStrainer("meta")).find_all("meta"):
        if (meta.get("name") or "").lower() == "robots":
            meta.get("content")


def print_pages(pages):
    """Prints the rows of reading the METAs named robots."""
    peers = {"selectolax": by_selectolax, "lxml": by_lxml, "Resiliparse": by_resiliparse, "Beautiful Soup": by_soup}
    wanted = Wanted("robots")
    for what, read in (
        ("META robots of a page", lambda html: read_head(html, wanted=wanted).directives()),
        (WITHOUT_TARGET, lambda html: read_head(html).directives()),
    ):
        for name, peer in peers.items():
            print_row(what, read, name, peer, pages[:: EVERY.get(name, 1)])


def main():
    warnings.simplefilter("ignore")
    files = [body for _, body in responses(corpus() / "robots.warc.gz")]
    # lxml refuses pages without a tag.
    pages = [body for media_type, body in responses(corpus() / "crawl.warc.gz") if "html" in media_type and b"<" in body]
    for name, bodies in (("robots.txt files", files), ("pages", pages)):
        print(f"{len(bodies)} {name}, {sum(map(len, bodies))} bytes")
    peers = "protego robotspy robotexclusionrulesparser selectolax lxml beautifulsoup4 resiliparse".split()
    print(f"CPython {sys.version.split()[0]}, " + ", ".join(f"{name} {version(name)}" for name in peers), end="\n\n")
    print("| what | ours | peer | peer's | ratio | target |\n| --- | --- | --- | --- | --- | --- |")
    print_robots_txt(files)
    print_pages(pages)


main()
