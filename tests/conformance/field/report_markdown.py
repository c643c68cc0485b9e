"""Writes docs/conformance.md from the results."""

import textwrap

from tally import percent

PAGE = "semantics.md"
TITLES = {
    "rfc9309": "RFC 9309",
    "google": "Google's reading",
    "google.jsonl.gz": "Google's parser on 500 files",
    "koster1996": "The draft of 1996",
    "koster1994": "The standard of 1994",
    "www-robotrules": "WWW::RobotRules",
}
# Their tables are one in the page.
OLDER = ["koster1996", "koster1994", "www-robotrules"]
ABOUT = {
    "rfc9309": "All libraries are asked these questions.",
    "google": "Questions from Google's specification and from the source of google/robotstxt, for the libraries that call"
    " themselves Google's parser or a port of it.",
    "google.jsonl.gz": "The same libraries, with generated files of seven kinds of sites. The expected answers are those"
    " that google/robotstxt (22b355f, 2026-04-01) gave.",
    "koster1996": "Asked of libraries that claim the draft of 1996, which compare names as the standard of 1994 does, and"
    " not the other way round, as the draft.",
    "koster1994": "Asked of WWW::RobotRules, whose documentation names the standard of 1994.",
    "www-robotrules": "Asked of WWW::RobotRules: its own behaviour, as described in [semantics.md](semantics.md#s-3-4).",
}


SNIPPET = """\
for row in map(json.loads, open("tests/conformance/robots.jsonl", encoding="utf-8")):
    is_plain = row["dialect"] == "rfc9309" and "url" in row and len(row["agents"]) == 1 and row["star"]
    if is_plain and "{pad:" not in row["robots"]:
        if may_fetch(row["robots"], row["agents"][0], urljoin("https://example.com/", row["url"])) != row["allowed"]:
            print(row["id"], row["source"])"""
"""How a library answers the questions that need no more than its function."""


def filled(text):
    """Returns a paragraph or an item of a list in lines of up to 118 characters."""
    return textwrap.fill(
        text, 118, subsequent_indent="  " if text.startswith("* ") else "", break_long_words=False, break_on_hyphens=False
    )


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


def cell(count):
    """Returns a cell of the matrix: nothing but a mark if all answers are right."""
    fault = f" (+{count.faults})" if count.faults else ""
    if count.percent is None:
        return (fault or "–").strip()
    return ("✓" if count.percent == 100 else f"{count.right}/{count.answered}") + fault


def overview(tally, names):
    """Returns a row for each library: shares and faults."""
    rows = []
    for name in names:
        for row in tally.of_set(name):
            standard, choice = row.count("standard"), row.count("choice")
            rows.append(
                [
                    f"**{row.label}**" if row.is_own else row.label,
                    *([name] if len(names) > 1 else []),
                    f"{percent(standard)} ({standard.right}/{standard.answered})",
                    f"{choice.right}/{choice.answered}" if choice.answered else "–",
                    standard.faults + choice.faults or "–",
                ]
            )
    head = ["settled by a standard", "left open", "faults"]
    return table(["library", *(["dialect"] if len(names) > 1 else []), *head], rows)


def matrix(tally, name):
    """Returns a row for each other library, with the right answers of each topic."""
    topics = tally.settled_topics(name)
    rows = [
        [row.label, *(cell(row.count("standard", topic.key)) for topic in topics)]
        for row in tally.of_set(name)
        if not row.is_own
    ]
    return table(["library", *(topic.short for topic in topics)], rows)


def section(tally, name):
    parts = [f"## {TITLES[name]}\n", filled(ABOUT[name]) + "\n", overview(tally, [name])]
    if name != "google.jsonl.gz":
        parts.append(matrix(tally, name))
    return "\n".join(parts)


def older(tally):
    """Returns the section on the dialects of which only single libraries are asked."""
    about = "\n".join(filled(f"* `{name}`: {ABOUT[name]}") for name in OLDER)
    return f"## Older dialects\n\n{about}\n\n{overview(tally, OLDER)}"


def libraries(tally):
    """Returns the versions of each library, the date of its answers, and what is known of it."""
    rows = []
    for row in sorted(tally.of_set("rfc9309"), key=lambda row: (row.is_own, row.library["language"], row.label)):
        library = row.library
        notes = [library[key] for key in ("input", "note") if key in library]
        notes += [why for why in row.not_asked if why.startswith("no ")]
        rows.append(
            [
                f"[{row.label}]({library['home']})",
                row.version,
                row.platform,
                row.date,
                library["claims"],
                "; ".join([library["name"], *notes]),
            ]
        )
    head = ["library", "version", "language", "asked on", "what it claims", "robot's name in its documentation; notes"]
    return table(head, rows)


def topics(tally):
    rows = [
        [
            topic.short,
            topic.title,
            ", ".join(
                [f"§{topic.rfc}"] * bool(topic.rfc)
                + [f"[{number}]({PAGE}#s-{number.replace('.', '-')})" for number in topic.sections]
            ),
        ]
        for topic in tally.topics("rfc9309") + [t for t in tally.topics("google") if t.key == "index"]
    ]
    return table(["column", "topic", "§ of RFC 9309, section of semantics.md"], rows)


def markdown(tally):
    results = tally.results
    asked = results["questions"]["rfc9309"] - sum(
        count for why, count in tally.of_set("rfc9309")[0].not_asked.items() if not why.startswith("no ")
    )
    count = sum(not row.is_own for row in tally.of_set("rfc9309"))
    chains = results["questions"]["rfc9309"] - asked
    opening = filled(
        f"How {count} other libraries answer the questions of the [conformance set](../tests/conformance/README.md)"
        f" about robots.txt. Asked {tally.asked()}."
        " [conformance.html](conformance.html) shows every other answer with its file and source;"
        " `tests/conformance/field/run.py` asks again."
    )
    notes = "\n".join(
        filled("* " + note)
        for note in (
            "**This project wrote the questions**: its own rows show only that it passes its own tests, from each language. Judge"
            " the expected answers by their sources.",
            "**Settled by a standard**: right answers of those given, where a sentence of a standard or of Google's"
            " documentation settles the answer; the share is rounded down. Many questions are about rare files.",
            "**Left open**: the standard is silent or leaves a choice. Another answer is not an error. The HTML page has the"
            " reasons.",
            "**Faults**: a library raised an error, crashed, or gave no answer in"
            f" {results['time_limit']} seconds: neither right nor wrong, `(+1)` in a matrix.",
            f"**Not asked**: {chains} of the {results['questions']['rfc9309']} questions about RFC 9309, about robots with several"
            " names or that do not obey `*`, and those for which a library has no method.",
            "`✓` in a matrix: all answers are right. `3/4`: 3 of 4 are. Matrices have only what a standard settles.",
            "Each library answers with its defaults, from the bytes of the file (U+FFFD for those that are not UTF-8, where it"
            " takes text), about a product token (`ExampleBot`) and absolute URLs, or paths where the notes say so.",
            "Missing: what is not on PyPI, npm, crates.io or in Debian, such as crawler-commons (Java) and temoto/robotstxt"
            " (Go), and reppy 0.4.14, whose C++ does not compile with GCC 12."
            " [An adapter](../tests/conformance/field/README.md) adds a library.",
        )
    )
    findings = "\n".join(filled("* " + sentence) for sentence in tally.findings())
    return f"""# Conformance of the field

{opening}

{findings}

## Your library

With a function `may_fetch(robots_txt, robot, url)`, this lists each question that it answers otherwise, and the source of
the answer ([the keys](../tests/conformance/README.md#robotsjsonl)):

```python
{SNIPPET}
```

## How to read it

{notes}

## Libraries

{libraries(tally)}
## Topics

{topics(tally)}
{chr(10).join([*(section(tally, name) for name in TITLES if name not in OLDER), older(tally)])}"""
