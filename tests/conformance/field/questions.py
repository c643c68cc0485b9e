"""Reads the conformance set: its questions, their topics, and which answers are this project's own choice."""

import gzip
import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

FIELD = Path(__file__).resolve().parent
SET = FIELD.parent
TOPICS = json.loads((FIELD / "topics.json").read_text("utf-8"))
DEFAULT_ROBOTS_URL = "https://example.com/robots.txt"


@dataclass(frozen=True)
class Question:
    """A question with its expected answer."""

    id: str
    case: str
    """The file and the name of the case, or the name of the robots.txt."""
    topic: str
    """A key of topics.json, or the kind of site of a file in google.jsonl.gz."""
    source: str
    choice: str
    """Why the expected answer is this project's choice; empty if a standard states it."""
    ask: str
    """`allowed` or `crawl_delay`: the key of the answer."""
    expected: bool | float | None
    not_asked: str
    """Why no library is asked; empty if all are."""
    fields: dict
    """What the adapter receives."""


def topic_of(case):
    """Returns the key of the case's topic. Raises LookupError for a case without one."""
    for topic in TOPICS["topics"]:
        if any(re.search(pattern, case) for pattern in topic["cases"]):
            return topic["key"]
    raise LookupError(f"no topic in topics.json for the case {case!r}")


def choice_of(name, source, dialect):
    """Returns why the expected answer is a choice, or an empty text."""
    for choice in TOPICS["choices"]:
        if dialect not in choice.get("dialects", [dialect]):
            continue
        if "source" in choice and re.search(choice["source"], source + name):
            return choice["why"]
        if "cases" in choice and re.search(choice["cases"], name):
            return choice["why"]
    return ""


def padded(text):
    """Expands `{pad:N}`: a comment that fills the file up to N bytes."""
    before, mark, rest = text.partition("{pad:")
    if not mark:
        return text
    size, _, after = rest.partition("}")
    return before + "#" * (int(size) - 1 - len(before.encode())) + "\n" + padded(after)


def addresses(url, robots_url):
    """Returns the URL of robots.txt, the absolute URL and its path with the query."""
    if "://" in url.split("?")[0].split("#")[0] and not url.startswith("/"):
        parts = urlsplit(url)
        absolute, own = url, robots_url or f"{parts.scheme}://{parts.netloc}/robots.txt"
    else:
        own = robots_url or DEFAULT_ROBOTS_URL
        parts = urlsplit(own)
        absolute = f"{parts.scheme}://{parts.netloc}{'' if url.startswith('/') else '/'}{url}"
    after = absolute.split("://", 1)[1].split("#")[0]
    place = re.search(r"[/?]", after)
    path = after[place.start() :] if place else "/"
    return own, absolute, path if path.startswith("/") else "/" + path


def of_dialect(dialect):
    """Returns the questions of robots.jsonl under a dialect."""
    rows = map(json.loads, (SET / "robots.jsonl").read_text("utf-8").splitlines())
    return [question_of_row(row) for row in rows if row["dialect"] == dialect]


def question_of_row(row):
    case = row["id"].rsplit("/", 2)[0]
    ask = "allowed" if "url" in row else "crawl_delay"
    fields = {"id": row["id"], "dialect": row["dialect"], "ask": ask, "robots": padded(row["robots"])}
    own, absolute, path = addresses(row.get("url", "/"), row.get("robots_url"))
    fields |= {"robots_url": own, "agent": row["agents"][0]}
    if ask == "allowed":
        fields |= {"url": absolute, "path": path}
    reason = ""
    if len(row["agents"]) > 1:
        reason = "a chain of names"
    elif not row["star"]:
        reason = "a robot that does not obey *"
    return Question(
        row["id"],
        case,
        topic_of(case),
        row["source"],
        choice_of(row["id"], row["source"], row["dialect"]),
        ask,
        row[ask],
        reason,
        fields,
    )


def of_google():
    """Returns the questions of google.jsonl.gz."""
    questions = []
    with gzip.open(SET / "google.jsonl.gz", "rt", encoding="utf-8") as lines:
        for file in map(json.loads, lines):
            key, value = ("robots", file["body"]) if "body" in file else ("robots_base64", file["body_base64"])
            for number, row in enumerate(file["ask"], 1):
                own, absolute, path = addresses(row["url"], None)
                fields = {"id": f"{file['name']}/{number}", "dialect": "google", "ask": "allowed", key: value}
                fields |= {"robots_url": own, "agent": row["agent"], "url": absolute, "path": path}
                questions.append(
                    Question(
                        fields["id"],
                        file["name"],
                        file["name"].rsplit("-", 1)[0],
                        "google/robotstxt 22b355f",
                        "",
                        "allowed",
                        row["allowed"],
                        "",
                        fields,
                    )
                )
    return questions


def of_set(name):
    """Returns the questions of a dialect, or those of google.jsonl.gz (`google.jsonl.gz`)."""
    return of_google() if name == "google.jsonl.gz" else of_dialect(name)


def digests():
    """Returns the SHA-256 of each file of the set."""
    names = ("robots.jsonl", "google.jsonl.gz")
    return {name: hashlib.sha256((SET / name).read_bytes()).hexdigest() for name in names}
