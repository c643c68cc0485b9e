"""The fastest combination of libraries in Python: fastwarc, Protego, selectolax.

Reads a WARC file twice, first for robots.txt and then for pages, and prints a line for each page: its URL, whether
the robot * may fetch it, and whether a META says noindex or none.
"""

import sys
from urllib.parse import urlsplit

from fastwarc.warc import ArchiveIterator, WarcRecordType
from protego import Protego
from selectolax.lexbor import LexborHTMLParser


def records(path):
    with open(path, "rb") as file:
        for record in ArchiveIterator(file, record_types=WarcRecordType.response, parse_http=True):
            url = record.headers.get("WARC-Target-URI", "").strip("<>")
            yield url, urlsplit(url), record


def main(path):
    rules = {}
    for url, parts, record in records(path):
        if parts.path == "/robots.txt" and not parts.query:
            status = record.http_headers.status_code
            text = record.reader.read().decode("utf-8", "replace") if status == 200 else ""
            rules[parts.scheme, parts.netloc] = Protego.parse(text)
    for url, parts, record in records(path):
        kind = record.http_content_type or ""
        if parts.path == "/robots.txt" or "html" not in kind:
            continue
        site = rules.get((parts.scheme, parts.netloc))
        allowed = site.can_fetch(url, "*") if site else True
        noindex = False
        for meta in LexborHTMLParser(record.reader.read()).css("head meta[name]"):
            if (meta.attributes.get("name") or "").lower() == "robots":
                words = (meta.attributes.get("content") or "").lower()
                noindex |= "noindex" in words or "none" in words
        print(url, int(allowed), int(noindex))


main(sys.argv[1])
