"""Writes docs/conformance.md from the results."""

import textwrap

from tally import OWN, answer, percent

PAGE = "semantics.md"
TITLES = {
    "rfc9309": "RFC 9309",
    "google": "Google's reading",
    "google.jsonl.gz": "Google's parser on 500 files",
    "koster1996": "The draft of 1996",
    "koster1994": "The standard of 1994",
    "www-robotrules": "WWW::RobotRules",
}
ABOUT = {
    "rfc9309": "All libraries are asked these questions.",
    "google": "Asked of the libraries that call themselves Google's parser or a port of it: questions from Google's"
    " specification and from the source of google/robotstxt.",
    "google.jsonl.gz": "The same libraries, with generated files of seven kinds of sites. The expected answers are those"
    " that google/robotstxt (22b355f, 2026-04-01) gave. A column is a kind of site.",
    "koster1996": "Asked of libraries that claim the draft of 1996 (dialect `koster1996`). The draft compares names the"
    " other way round than the standard of 1994; the questions follow 1994, as these libraries do.",
    "koster1994": "Asked of WWW::RobotRules, whose documentation names the standard of 1994.",
    "www-robotrules": "Asked of WWW::RobotRules: its own behaviour, as described in [semantics.md](semantics.md#s-3-4).",
}


def filled(text):
    """Returns a paragraph or an item of a list in lines of up to 118 characters."""
    return textwrap.fill(
        text, 118, subsequent_indent="  " if text.startswith("* ") else "", break_long_words=False, break_on_hyphens=False
    )


def code(text):
    """Returns a text as code in a cell of a table."""
    shown = text.replace("\r", "␍").replace("\n", "␊").replace("\0", "␀").replace("\t", "␉").replace("|", "\\|")
    if len(shown) > 80:
        shown = shown[:77] + "..."
    return f"``{shown}``" if "`" in shown else f"`{shown}`"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


def cell(count):
    """Returns a cell of the matrix: nothing but a mark if all answers are right."""
    fault = f" (+{count.faults})" if count.faults else ""
    if count.percent is None:
        return (fault or "–").strip()
    return ("✓" if count.percent == 100 else f"{count.right}/{count.answered}") + fault


def overview(tally, name):
    """Returns a row for each library: shares, faults and what was not asked."""
    rows = []
    for row in tally.of_set(name):
        standard, choice = row.count("standard"), row.count("choice")
        missing = ", ".join(f"{count} ({why})" for why, count in row.not_asked.items() if why.startswith("no "))
        rows.append(
            [
                f"**{row.label}**" if row.key == OWN else row.label,
                f"{percent(standard)} ({standard.right} of {standard.answered})",
                f"{choice.right} of {choice.answered}" if choice.answered else "–",
                standard.faults + choice.faults or "–",
                missing or "–",
            ]
        )
    return table(["library", "settled by a standard", "left open", "faults", "no interface for"], rows)


def matrix(tally, name):
    topics = tally.settled_topics(name)
    rows = [
        [row.label, *(cell(row.count("standard", topic.key)) for topic in topics)] for row in tally.of_set(name)
    ]
    return table(["library", *(topic.short for topic in topics)], rows)


def section(tally, name):
    parts = [f"## {TITLES[name]}\n", filled(ABOUT[name]) + "\n", overview(tally, name)]
    if name in ("rfc9309", "google", "google.jsonl.gz"):
        parts.append(matrix(tally, name))
    return "\n".join(parts)


def libraries(tally):
    """Returns the versions of each library, the date of its answers, and what is known of it."""
    rows = []
    for row in sorted(tally.of_set("rfc9309"), key=lambda row: (row.key == OWN, row.library["language"], row.label)):
        library = row.library
        notes = [library[key] for key in ("input", "note") if key in library]
        rows.append(
            [
                f"[{row.label}]({library['home']})",
                row.version,
                row.platform,
                row.date,
                library["claims"],
                library["name"],
                "; ".join(notes) or "–",
            ]
        )
    head = ["library", "version", "language", "asked on", "what it claims", "robot's name in its documentation", "notes"]
    return table(head, rows)


def topics(tally):
    rows = [
        [
            topic.short,
            topic.title,
            f"§{topic.rfc}" if topic.rfc else "–",
            ", ".join(f"[{number}]({PAGE}#s-{number.replace('.', '-')})" for number in topic.sections),
        ]
        for topic in tally.topics("rfc9309") + [t for t in tally.topics("google") if t.key == "index"]
    ]
    return table(["column", "topic", "RFC 9309", "semantics.md"], rows)


def failures(tally, name):
    """Returns the cases of a set with a wrong answer, and the libraries that gave it."""
    cases = {}
    for question, entries in tally.failed(name).items():
        described = tally.cases[question]
        case = cases.setdefault(described["case"], {"topic": described["topic"], "questions": 0, "libraries": {}})
        case["described"] = described
        case["choice"] = case.get("choice") or described["choice"]
        case["questions"] += 1
        for row, kind, _ in entries:
            case["libraries"].setdefault(row.label, []).append(kind)
    order = [topic.key for topic in tally.topics(name)]
    rows = []
    for case, entry in sorted(cases.items(), key=lambda item: (order.index(item[1]["topic"]), item[0])):
        described = entry["described"]
        rows.append(
            [
                next(topic.short for topic in tally.topics(name) if topic.key == entry["topic"]),
                case.split("/", 1)[1].replace("|", "\\|") + (" (left open)" if entry["choice"] else ""),
                f"{code(described['agent'])} {code(described['url'] or 'Crawl-delay')}",
                answer(described["ask"], described["expected"]),
                described["source"].replace("|", "\\|").replace("docs/semantics.md, ", ""),
                ", ".join(sorted(entry["libraries"], key=str.lower)),
            ]
        )
    return table(["topic", "case", "a question", "expected", "source", "answered otherwise by"], rows)


def markdown(tally):
    results = tally.results
    asked = results["questions"]["rfc9309"] - sum(
        count for why, count in tally.of_set("rfc9309")[0].not_asked.items() if not why.startswith("no ")
    )
    count = len(tally.of_set("rfc9309")) - 1
    chains = results["questions"]["rfc9309"] - asked
    opening = filled(
        f"How {count} other libraries answer the questions of the [conformance set](../tests/conformance/README.md)"
        f" about robots.txt. Asked {tally.asked()}."
        " [conformance.html](conformance.html) shows every other answer with its file and source; open it in a"
        " browser. `python3 tests/conformance/field/run.py` installs the libraries, asks them and writes both pages."
    )
    notes = "\n".join(
        filled("* " + note)
        for note in (
            "**This project wrote the questions.** Its own row shows that the adapter works and that its program passes"
            " its own tests, no more. Judge the expected answers by their sources.",
            "**Settled by a standard**: right answers of those given, where a sentence of a standard or of Google's"
            " documentation settles the answer. The share is rounded down. Many questions are about rare files: a share"
            " is not the share of real sites that a library reads rightly.",
            "**Left open**: the standard is silent or leaves a choice, and the expected answer is this project's. The"
            " number is that of equal answers; another answer is not an error of the library. The HTML page has the"
            " reason for each question.",
            "**Faults**: questions on which a library raised an error, crashed, or gave no answer in"
            f" {results['time_limit']} seconds. They count neither as right nor as wrong; `(+1)` in a matrix.",
            f"**Not asked**: {chains} of the {results['questions']['rfc9309']} questions about RFC 9309, as they need a"
            " robot with several names or one that does not obey `*`: no adapter can ask for that. \"No interface for\""
            " counts questions that only some libraries can be asked.",
            "**Names**: every library receives the product token (`ExampleBot`) as the robot's name, also where its"
            " documentation shows a full User-Agent value.",
            "`✓` in a matrix: all answers are right. `3/4`: 3 of 4 are. Matrices have only what a standard settles.",
            "Each library answers with its default settings, from the bytes of the file, without requests. Bytes that are"
            " not UTF-8 become U+FFFD where a library takes only text. Questions have absolute URLs, or paths where the"
            " notes say so.",
            "Missing: libraries that are not on PyPI, npm, crates.io or in Debian, such as crawler-commons (Java) and"
            " temoto/robotstxt (Go), and reppy 0.4.14 (Python), whose C++ source does not compile with GCC 12. Any"
            " library can be added with [an adapter](../tests/conformance/field/README.md).",
        )
    )
    findings = "\n".join(filled("* " + sentence) for sentence in tally.findings())
    return f"""# Conformance of the field

{opening}

{findings}

## How to read it

{notes}

## Libraries

{libraries(tally)}
## Topics

{topics(tally)}
{chr(10).join(section(tally, name) for name in TITLES)}
## Cases with other answers

One line for each case of the two sets about RFC 9309 and Google's reading, with the last of its questions that a library
answered otherwise.

### RFC 9309

{failures(tally, "rfc9309")}
### Google's reading

{failures(tally, "google")}"""
