"""The most common combination of libraries in Python: warcio, Protego, BeautifulSoup. Does the same as decide_fast.py."""

import sys
from urllib.parse import urlsplit

from bs4 import BeautifulSoup
from protego import Protego
from warcio.archiveiterator import ArchiveIterator


def records(path):
    with open(path, "rb") as file:
        for record in ArchiveIterator(file):
            if record.rec_type == "response" and record.http_headers:
                url = record.rec_headers.get_header("WARC-Target-URI").strip("<>")
                yield url, urlsplit(url), record


def main(path):
    rules = {}
    for url, parts, record in records(path):
        if parts.path == "/robots.txt" and not parts.query:
            status = record.http_headers.get_statuscode()
            text = record.content_stream().read().decode("utf-8", "replace") if status == "200" else ""
            rules[parts.scheme, parts.netloc] = Protego.parse(text)
    for url, parts, record in records(path):
        kind = record.http_headers.get_header("Content-Type") or ""
        if parts.path == "/robots.txt" or "html" not in kind:
            continue
        site = rules.get((parts.scheme, parts.netloc))
        allowed = site.can_fetch(url, "*") if site else True
        noindex = False
        page = BeautifulSoup(record.content_stream().read(), "html.parser")
        for meta in page.find_all("meta", attrs={"name": True}):
            if meta["name"].lower() == "robots":
                words = meta.get("content", "").lower()
                noindex |= "noindex" in words or "none" in words
        print(url, int(allowed), int(noindex))


main(sys.argv[1])
