"""Asks the libraries of the field the questions of the conformance set, and writes the table.

`python3 tests/conformance/field/run.py` installs the pinned versions below target/field, writes results.json, and
from it docs/conformance.md and docs/conformance.html. `--only LIBRARY` asks one library and keeps the results of the
others, with their dates; repeatable.
"""

import argparse
import contextlib
import datetime
import json
import queue
import subprocess
import sys
import threading
from collections import Counter, defaultdict

import questions as conformance
import report
from install import LIBRARIES, install, platform_of

RESULTS = conformance.FIELD / "results.json"
TIME_LIMIT = 10
"""Seconds for each question."""

ANSWERS = {"allowed": (bool,), "crawl_delay": (int, float, type(None))}
"""The types of valid answers, by the key of the answer."""

OLDER = ("koster1996", "koster1994", "www-robotrules")


class Adapter:
    """A process that answers questions, started again after a crash or a hang."""

    def __init__(self, command, environment, time_limit=TIME_LIMIT):
        self.command, self.environment, self.time_limit = command, environment, time_limit
        self.process = None

    def start(self):
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=self.environment,
        )
        self.lines = queue.Queue()
        threading.Thread(target=self.read, args=(self.process, self.lines), daemon=True).start()

    @staticmethod
    def read(process, lines):
        for line in process.stdout:
            lines.put(line)
        lines.put(None)

    @staticmethod
    def write(process, line):
        # A process that has ended is noticed by the end of its output.
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(line)
            process.stdin.flush()

    def ask(self, fields):
        """Returns the reply, or `{"timeout": ...}` or `{"crash": ...}`. An invalid reply is a crash."""
        if self.process is None:
            self.start()
        line = json.dumps(fields).encode() + b"\n"
        # In a thread, as a process that does not read would block it.
        threading.Thread(target=self.write, args=(self.process, line), daemon=True).start()
        try:
            reply = self.lines.get(timeout=self.time_limit)
        except queue.Empty:
            self.stop()
            return {"timeout": f"no answer after {self.time_limit} s"}
        if reply is None:
            status = self.process.wait()
            self.stop()
            return {"crash": f"the process ended with status {status}"}
        try:
            return parsed(reply, fields["ask"])
        except (ValueError, RecursionError):
            self.stop()
            return {"crash": f"the process wrote {reply[:80]!r}"}

    def stop(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            with contextlib.suppress(BrokenPipeError):
                self.process.stdin.close()
            self.process = None


def parsed(line, ask):
    """Returns the reply in a line. Raises ValueError or RecursionError if README.md has no such reply."""
    reply = json.loads(line)
    if not isinstance(reply, dict):
        raise ValueError("not an object")
    types = {"unsupported": (str,), "error": (str,), ask: ANSWERS[ask]}
    given = reply.keys() & types.keys()
    if not given or any(type(reply[key]) not in types[key] for key in given):
        raise ValueError("no valid answer")
    return {key: reply[key] for key in given}


def outcome(question, reply):
    """Returns the kind of the outcome and its text: right, wrong, unsupported, error, crash or timeout."""
    for kind in ("unsupported", "error", "crash", "timeout"):
        if kind in reply:
            return kind, reply[kind]
    answer = reply[question.ask]
    return ("right" if answer == question.expected else "wrong"), answer


def asked(adapter, asked_set, cases):
    """Asks a library one set of questions. Returns counts and failures; adds the failed questions to `cases`."""
    topics = defaultdict(lambda: {"standard": Counter(), "choice": Counter()})
    failures = []
    not_asked = Counter()
    for question in asked_set:
        if question.not_asked:
            not_asked[question.not_asked] += 1
            continue
        kind, text = outcome(question, adapter.ask(question.fields))
        if kind == "unsupported":
            not_asked[text] += 1
        topics[question.topic]["choice" if question.choice else "standard"][kind] += 1
        if kind not in ("right", "unsupported"):
            failures.append([question.id, kind, text])
            cases[question.id] = described(question)
    return {
        "not_asked": dict(not_asked),
        "topics": {key: {part: dict(count) for part, count in parts.items()} for key, parts in topics.items()},
        "failures": failures,
    }


def described(question):
    """Returns what the report shows of a question."""
    fields = question.fields
    robots = {key: fields[key] for key in ("robots", "robots_base64") if key in fields}
    if len(robots.get("robots", "")) > 4096:
        robots = {"robots": f"{robots['robots'][:200]}\n[{len(robots['robots'])} characters in all]"}
    return {
        "case": question.case,
        "topic": question.topic,
        "source": question.source,
        "choice": question.choice,
        "ask": question.ask,
        "expected": question.expected,
        "agent": fields["agent"],
        "url": fields.get("url", ""),
        "robots_url": fields["robots_url"],
        **robots,
    }


def sets_of(library):
    """Returns the sets of questions for a library: RFC 9309 for all, others where it claims them."""
    google = ["google", "google.jsonl.gz"] if library.get("google") else []
    return ["rfc9309", *google, *(name for name in OLDER if name in library.get("older", {}))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", metavar="LIBRARY", help="Ask this library; keep other results")
    arguments = parser.parse_args()
    unknown = set(arguments.only or []) - {library["key"] for library in LIBRARIES}
    if unknown:
        parser.error(f"unknown library: {', '.join(sorted(unknown))}")
    sets = {name: conformance.of_set(name) for name in ("rfc9309", "google", "google.jsonl.gz", *OLDER)}
    kept = json.loads(RESULTS.read_text("utf-8")) if arguments.only else {"runs": [], "cases": {}}
    if arguments.only and kept["sha256"] != conformance.digests():
        parser.error("the questions have changed since results.json was written: ask all libraries")
    if arguments.only and kept["time_limit"] != TIME_LIMIT:
        parser.error("the time limit has changed since results.json was written: ask all libraries")
    runs = {(run["library"], run["set"]): run for run in kept["runs"]}
    cases = kept["cases"]
    chosen = [library for library in LIBRARIES if not arguments.only or library["key"] in arguments.only]
    for library, (version, command, environment) in [(library, install(library)) for library in chosen]:
        adapter = Adapter(command, environment)
        about = {
            "library": library["key"],
            "version": version,
            "platform": platform_of(library),
            "date": datetime.date.today().isoformat(),
        }
        for name in sets_of(library):
            run = about | {"set": name} | asked(adapter, sets[name], cases)
            runs[library["key"], name] = run
            print(f"{library['key']} {version}, {name}: {len(run['failures'])} failures", file=sys.stderr)
        adapter.stop()
    order = [(library["key"], name) for library in LIBRARIES for name in sets_of(library)]
    named = {failure[0] for run in runs.values() for failure in run["failures"]}
    results = {
        "time_limit": TIME_LIMIT,
        "sha256": conformance.digests(),
        "questions": {name: len(questions) for name, questions in sets.items()},
        "runs": [runs[key] for key in order if key in runs],
        "cases": {key: cases[key] for key in sorted(named & cases.keys())},
    }
    RESULTS.write_text(json.dumps(results, ensure_ascii=False, indent=1) + "\n", "utf-8")
    report.write()


if __name__ == "__main__":
    main()
