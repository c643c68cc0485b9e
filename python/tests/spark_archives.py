"""Archives in the layout of Common Crawl: pages in some, and robots.txt files in others."""

import re
import zlib
from pathlib import Path

import pyarrow as pa

from robots_policy import records

SCALE = Path(__file__).parents[2] / "docs" / "scale.md"

#: The programs of docs/scale.md, each with the output that it states.
PROGRAMS = re.findall(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", SCALE.read_text("utf-8"), re.S)


def members(data):
    """Returns the gzip members of a record-compressed archive, each packed and unpacked."""
    while data:
        unpacker = zlib.decompressobj(wbits=31)
        unpacked = unpacker.decompress(data)
        rest = unpacker.unused_data
        yield data[: len(data) - len(rest)], unpacked
        data = rest


def is_robots(record):
    head = record.split(b"\r\n\r\n", 1)[0]
    urls = [line for line in head.split(b"\r\n") if line.lower().startswith(b"warc-target-uri:")]
    return any(url.rstrip().rstrip(b">").endswith(b"/robots.txt") for url in urls)


def split(archive, folder, pages=5, robots=3):
    """Writes the records of an archive to archives of pages and archives of robots.txt files, in turns. Returns the paths of both."""
    folder.mkdir()
    parts = {True: [b""] * robots, False: [b""] * pages}
    counts = {True: 0, False: 0}
    for packed, record in members(Path(archive).read_bytes()):
        kind = is_robots(record)
        parts[kind][counts[kind] % len(parts[kind])] += packed
        counts[kind] += 1
    paths = {}
    for kind, name in ((False, "pages"), (True, "robotstxt")):
        paths[kind] = [folder / f"{name}-{number:05}.warc.gz" for number in range(len(parts[kind]))]
        for path, part in zip(paths[kind], parts[kind], strict=True):
            path.write_bytes(part)
    return [str(path) for path in paths[False]], [str(path) for path in paths[True]]


def warc(*responses):
    """Returns a WARC file of responses: URL, day, status, headers and body."""
    archive = b""
    for url, day, status, headers, body in responses:
        block = f"HTTP/1.1 {status} x\r\n{headers}\r\n\r\n{body}".encode()
        head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-11-{day:02}T00:00:00Z\r\n"
        archive += f"{head}Content-Length: {len(block)}\r\n\r\n".encode() + block + b"\r\n\r\n"
    return archive


def index_of(paths, base):
    """Returns a columnar index of archives in the layout of Common Crawl."""
    columns = ["file", "offset", "length", "target_uri", "status", "mime_type"]
    rows = [row for path in paths for row in pa.table(records(path, columns=columns, types="response")).to_pylist()]
    columns = {
        "url": [row["target_uri"] for row in rows],
        "fetch_status": pa.array([row["status"] for row in rows], pa.int16()),
        "content_mime_type": [row["mime_type"] for row in rows],
        "content_mime_detected": [row["mime_type"] for row in rows],
        "warc_filename": [row["file"].removeprefix(base) for row in rows],
        "warc_record_offset": pa.array([row["offset"] for row in rows], pa.int32()),
        "warc_record_length": pa.array([row["length"] for row in rows], pa.int32()),
    }
    return pa.table(columns)


def pages_of(archives):
    """Returns the pages of archives as the table of docs/scale.md."""
    columns = {"offset": "id", "target_uri": "link", "date": "captured", "payload": "content"}
    types = {"types": "response", "mime_types": ["text/html", "application/xhtml+xml"]}
    tables = [pa.table(records(path, columns=list(columns), **types)).select(list(columns)) for path in archives]
    return pa.concat_tables(tables).rename_columns(list(columns.values()))
