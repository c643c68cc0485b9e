"""Adds up results.json for the reports."""

import json
from collections import Counter
from dataclasses import dataclass, field

from questions import FIELD, TOPICS

RESULTS = FIELD / "results.json"
LIBRARIES = json.loads((FIELD / "libraries.json").read_text("utf-8"))["libraries"]
FAULTS = ("error", "crash", "timeout")
SITES = ("blog", "docs", "forum", "news", "office", "shop", "wiki")


@dataclass
class Topic:
    key: str
    short: str
    title: str
    sections: list = field(default_factory=list)
    rfc: str = ""


@dataclass
class Count:
    """Answers to some questions."""

    right: int = 0
    wrong: int = 0
    faults: int = 0

    @classmethod
    def of(cls, counts):
        return cls(counts.get("right", 0), counts.get("wrong", 0), sum(counts.get(kind, 0) for kind in FAULTS))

    @property
    def answered(self):
        return self.right + self.wrong

    @property
    def percent(self):
        """Right answers of those given, in whole percent; 100 only if all are right. None without an answer."""
        if not self.answered:
            return None
        share = 100 * self.right // self.answered
        return share if self.right == self.answered else min(share, 99)


class Row:
    """The answers of one library to one set."""

    def __init__(self, run, library):
        self.run, self.library = run, library
        self.key, self.set = run["library"], run["set"]
        self.label = library.get("label", self.key)
        self.is_own = library.get("own", False)
        self.version = run["version"]
        self.platform = run["platform"]
        """The language with its version."""
        self.date = run["date"]
        self.not_asked = run["not_asked"]
        self.failures = run["failures"]

    def count(self, part, topic=None):
        """Returns the answers to the `standard` or `choice` questions, of one topic or of all."""
        topics = self.run["topics"]
        chosen = [topics[topic]] if topic in topics else [] if topic else topics.values()
        return Count.of(sum((Counter(parts[part]) for parts in chosen), Counter()))


class Tally:
    """results.json with the descriptions of libraries and topics."""

    def __init__(self):
        self.results = json.loads(RESULTS.read_text("utf-8"))
        libraries = {library["key"]: library for library in LIBRARIES}
        self.rows = [Row(run, libraries[run["library"]]) for run in self.results["runs"]]
        self.cases = self.results["cases"]

    def of_set(self, name):
        """Returns the rows of a set, the highest share first, and this project last."""
        rows = [row for row in self.rows if row.set == name]

        def rank(row):
            count = row.count("standard")
            return row.is_own, -count.right / max(count.answered, 1), row.label.lower()

        return sorted(rows, key=rank)

    def asked(self):
        """Returns when and with which languages the libraries were asked, as the end of a sentence."""
        dates = sorted({row.date for row in self.rows})
        span = f"on {dates[0]}" if len(dates) == 1 else f"from {dates[0]} to {dates[-1]}"
        platforms = dict.fromkeys(row.platform for row in self.rows)
        return f"{span} with {', '.join(platforms)}"

    def topics(self, name):
        """Returns the topics of a set, in the order of the report."""
        used = {key for row in self.rows if row.set == name for key in row.run["topics"]}
        if used <= set(SITES):
            return [Topic(site, site, f"Sites of the kind “{site}”") for site in SITES]
        known = {
            topic["key"]: Topic(topic["key"], topic["short"], topic["title"], topic["sections"], topic["rfc"])
            for topic in TOPICS["topics"]
        }
        return [known[key] for key in TOPICS["order"] if key in used]

    def settled_topics(self, name):
        """Returns the topics of a set with an answer that a standard settles."""
        rows = self.of_set(name)
        return [topic for topic in self.topics(name) if any(row.run["topics"][topic.key]["standard"] for row in rows)]

    def failed(self, name):
        """Returns the failed questions of a set: their names with the failures of each library."""
        failed = {}
        for row in self.of_set(name):
            for question, kind, text in row.failures:
                failed.setdefault(question, []).append((row, kind, text))
        return failed

    def findings(self):
        """Returns sentences on the answers about RFC 9309."""
        rows = [row for row in self.of_set("rfc9309") if not row.is_own]
        best = rows[:3]
        passed_all = sum(row.count("standard").percent == 100 for row in rows)
        topics = []
        for topic in self.topics("rfc9309"):
            counts = [row.count("standard", topic.key) for row in rows]
            failing = sum(count.wrong + count.faults > 0 for count in counts)
            asked = sum(count.answered + count.faults > 0 for count in counts)
            if asked:
                topics.append((failing, asked, f"“{topic.title}”"))
        topics.sort(key=lambda entry: (-entry[0], entry[2]))
        named = ", ".join(f"{row.label} ({row.count('standard').percent} %)" for row in best)
        hardest = "; ".join(f"{title} ({failing} of {asked})" for failing, asked, title in topics[:3])
        clean = [title for failing, _, title in topics if not failing]
        sentences = [
            f"The closest to RFC 9309 are {named}.",
            f"{'No library gives' if not passed_all else f'{passed_all} give'} every answer of the standard.",
            f"The topics in which most libraries have a wrong answer or a fault: {hardest}.",
        ]
        if clean:
            sentences.append(f"Every library is right about: {'; '.join(clean)}.")
        return sentences


def percent(count):
    """Returns a share as text."""
    return "–" if count.percent is None else f"{count.percent} %"


def answer(ask, value):
    """Returns an answer as words."""
    if ask == "crawl_delay":
        return "no delay" if value is None else f"{value:g} s"
    return {True: "allowed", False: "disallowed"}.get(value, str(value))


def outcome(ask, kind, text):
    """Returns what a library answered, or its fault."""
    return answer(ask, text) if kind == "wrong" else f"{kind}: {text}"
