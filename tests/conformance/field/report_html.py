"""Writes docs/conformance.html: the matrix and every other answer, without outside resources."""

import base64
from html import escape

from questions import FIELD
from report_markdown import ABOUT, PAGE, TITLES
from tally import answer, outcome, percent

LEVELS = ((90, "h1"), (75, "h2"), (50, "h3"), (0, "h4"))


def anchor(*words):
    """Returns an id made of words."""
    return "-".join("".join(c if c.isalnum() else "-" for c in word) for word in words)


def linked(text):
    """Returns a text with Markdown links as HTML."""
    before, mark, rest = text.partition("[")
    if not mark:
        return coded(before)
    label, _, rest = rest.partition("](")
    target, _, rest = rest.partition(")")
    return f'{coded(before)}<a href="{escape(target)}">{coded(label)}</a>{linked(rest)}'


def coded(text):
    """Returns a text with Markdown code as HTML."""
    parts = escape(text, quote=False).split("`")
    return "".join(f"<code>{part}</code>" if number % 2 else part for number, part in enumerate(parts))


def breakable(name):
    """Returns a name that may be broken after a point, colon, hyphen or underscore."""
    return "".join(f"{c}<wbr>" if c in ".:-_" else escape(c) for c in name)


def visible(text):
    """Returns a text in which control characters can be seen."""
    marks = {"\r": "␍", "\0": "␀", "\t": "␉", "\ufeff": "[BOM]", "\v": "␋", "\f": "␌"}
    shown = "".join(marks.get(c, c) for c in text)
    return escape(shown if len(shown) <= 300 else shown[:297] + "...", quote=False)


def file_of(case):
    """Returns the robots.txt of a case."""
    if "robots_base64" in case:
        text = base64.b64decode(case["robots_base64"]).decode("utf-8", "backslashreplace")
    else:
        text = case["robots"]
    marks = {"\r\n": "␍\n", "\0": "␀", "\t": "␉", "\ufeff": "[BOM]"}
    for character, mark in marks.items():
        text = text.replace(character, mark)
    # What remains is a carriage return alone, which ends a line too.
    text = text.replace("\r", "␍\n")
    return f"<pre>{escape(text, quote=False) or '(empty)'}</pre>"


def overview(tally, name):
    rows = []
    for row in tally.of_set(name):
        standard, choice = row.count("standard"), row.count("choice")
        link = f'<a href="#{anchor("lib", row.key)}">{escape(row.label)}</a>'
        own = ' class="own"' if row.is_own else ""
        faults = standard.faults + choice.faults
        rows.append(
            f'<tr{own}><th scope="row">{link}</th>'
            f'<td><span class="share"><b>{percent(standard)}</b><span class="track"><i style="width:'
            f'{100 * standard.right / max(standard.answered, 1):.1f}%"></i></span></span></td>'
            f'<td class="wide">{standard.right} of {standard.answered}</td>'
            f'<td class="wide">{f"{choice.right} of {choice.answered}" if choice.answered else "–"}</td>'
            f'<td>{faults or "–"}</td></tr>'
        )
    return (
        '<div class="scroll"><table class="overview"><thead><tr><th scope="col">Library</th>'
        '<th scope="col">Settled by a standard</th><th scope="col" class="wide">Right answers</th>'
        '<th scope="col" class="wide">Left open: as we chose</th><th scope="col">Faults</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def matrix_cell(row, topic):
    count = row.count("standard", topic.key)
    title = f"{row.label}, {topic.title}: {count.right} of {count.answered} right"
    fault = f'<span class="fault">+{count.faults} ⚠</span>' if count.faults else ""
    if count.faults:
        title += f", {count.faults} without an answer"
    if count.percent is None:
        return f'<td class="none" title="{escape(title)}">{fault or "–"}</td>'
    if count.percent == 100 and not count.faults:
        return f'<td class="all" title="{escape(title)}">✓</td>'
    level = next(level for least, level in LEVELS if count.percent >= least)
    text = "✓" if count.percent == 100 else f"{count.percent}"
    return (
        f'<td class="{level}" title="{escape(title)}"><a href="#{anchor("lib", row.key, row.set, topic.key)}">'
        f"{text}{fault}</a></td>"
    )


def matrix(tally, name):
    topics = tally.settled_topics(name)
    head = "".join(f'<th scope="col" title="{escape(topic.title)}">{escape(topic.short)}</th>' for topic in topics)
    rows = "".join(
        f'<tr{" class=own" if row.is_own else ""}><th scope="row">{breakable(row.label)}</th>'
        f"{''.join(matrix_cell(row, topic) for topic in topics)}</tr>"
        for row in tally.of_set(name)
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(TITLES[name])}: library by topic">'
        f'<table class="matrix"><thead><tr><th scope="col">Library</th>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


KEY = """<ul class="key"><li><span class="all">✓</span>all right</li><li><span class="h1">90</span>90 % or more</li>
<li><span class="h2">75</span>75 % or more</li><li><span class="h3">50</span>half or more</li>
<li><span class="h4">20</span>less than half</li><li><span>⚠</span>questions without an answer</li>
<li><span>–</span>not asked</li></ul>"""


def topic_legend(tally):
    rows = []
    for topic in tally.topics("rfc9309") + [topic for topic in tally.topics("google") if topic.key == "index"]:
        sections = ", ".join(
            f'<a href="{PAGE}#s-{number.replace(".", "-")}">{number}</a>' for number in topic.sections
        )
        rfc = f"RFC 9309, {topic.rfc}" if topic.rfc else ""
        rows.append(
            f'<tr><td><b>{escape(topic.short)}</b></td><td>{escape(topic.title)}</td><td>{rfc}</td>'
            f'<td data-label="semantics.md">{sections}</td></tr>'
        )
    return (
        '<table class="list"><thead><tr><th>Column</th><th>Topic</th><th>Standard</th><th>semantics.md</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def section(tally, name):
    parts = [f'<h2 id="{anchor(name)}">{escape(TITLES[name])}</h2><p>{linked(ABOUT[name])}</p>', overview(tally, name)]
    if name in ("rfc9309", "google", "google.jsonl.gz"):
        parts += ["<h3>By topic</h3><p>Percent of right answers, where a standard settles them. Numbers link to the answers.</p>"]
        parts += [matrix(tally, name), KEY]
    return "".join(parts)


def question_row(tally, question, kind, text, numbers):
    case = tally.cases[question]
    badge = ' <span class="badge">left open</span>' if case["choice"] else ""
    asked = f"<code>{visible(case['url'])}</code>" if case["ask"] == "allowed" else "its Crawl-delay"
    return (
        f'<tr><td><a href="#c{numbers[case["case"]]}">{escape(case["case"], quote=False)}</a>{badge}</td>'
        f'<td data-label="Robot">{visible(case["agent"])}</td><td data-label="URL">{asked}</td>'
        f'<td data-label="Expected">{answer(case["ask"], case["expected"])}</td>'
        f'<td data-label="Answer">{escape(outcome(case["ask"], kind, text), quote=False)}</td></tr>'
    )


def library(tally, rows, numbers):
    """Returns the section of a library: its description, and its other answers by set and topic."""
    described = rows[0].library
    facts = [f"version {rows[0].version}", f"asked on {rows[0].date} with {rows[0].platform}"]
    facts.append(f"claims: {described['claims']}")
    facts.append(f"a robot's name in its documentation: {described['name']}")
    facts += [described[key] for key in ("input", "note") if key in described]
    parts = [
        f'<section class="card"><h3 id="{anchor("lib", rows[0].key)}"><a href="{escape(described["home"])}">{escape(rows[0].label)}</a></h3>'
        f'<p class="small soft">{escape(". ".join(fact[0].upper() + fact[1:] for fact in facts), quote=False)}.</p>'
    ]
    for row in rows:
        if not row.failures:
            parts.append(f"<p>{escape(TITLES[row.set])}: every answer is as expected.</p>")
            continue
        parts.append(f"<h4>{escape(TITLES[row.set])}</h4>")
        for topic in tally.topics(row.set):
            failures = [entry for entry in row.failures if tally.cases[entry[0]]["topic"] == topic.key]
            if not failures:
                continue
            lines = "".join(question_row(tally, *entry, numbers) for entry in failures)
            parts.append(
                f'<details><summary>{escape(topic.title)}: {len(failures)}</summary>'
                f'<table class="list" id="{anchor("lib", row.key, row.set, topic.key)}"><thead><tr><th>Case</th>'
                f"<th>Robot</th><th>URL</th><th>Expected</th><th>Answer</th></tr></thead><tbody>{lines}</tbody></table></details>"
            )
    return "".join([*parts, "</section>"])


def case_card(tally, case, entries, number):
    """Returns a case with its file, and the questions that a library answered otherwise."""
    first = tally.cases[entries[0][0]]
    rows = []
    reasons = []
    for question, failures in entries:
        described = tally.cases[question]
        answers = {}
        for row, kind, text in failures:
            answers.setdefault(outcome(described["ask"], kind, text), []).append(row.label)
        others = "; ".join(f"{text} ({', '.join(labels)})" for text, labels in answers.items())
        asked = f"<code>{visible(described['url'])}</code>" if described["ask"] == "allowed" else "its Crawl-delay"
        badge = ' <span class="badge">left open</span>' if described["choice"] else ""
        rows.append(
            f'<tr><td data-label="Robot">{visible(described["agent"])}</td><td data-label="URL">{asked}</td>'
            f'<td data-label="Expected">{answer(described["ask"], described["expected"])}{badge}</td>'
            f'<td data-label="Others">{escape(others, quote=False)}</td></tr>'
        )
        if described["choice"] and described["choice"] not in reasons:
            reasons.append(described["choice"])
    # The dialect is the part of the name before the number.
    names = sorted({question.rsplit("/", 2)[1] for question, _ in entries if question.count("/") > 1})
    dialects = f" Asked under: {', '.join(names)}." if names else ""
    reason = f'<p class="small">Why an answer is left open: {escape("; ".join(reasons), quote=False)}.</p>' if reasons else ""
    return (
        f'<details class="card"><summary>{escape(case, quote=False)}</summary><div id="c{number}">'
        f'<p class="small soft">Source: {escape(first["source"], quote=False)}.{dialects}</p>{reason}{file_of(first)}'
        '<table class="list"><thead><tr><th>Robot</th><th>URL</th><th>Expected</th><th>Other answers</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div></details>"
    )


def cases_in_order(tally):
    """Returns the failed questions of each case, in the order of the sets and topics."""
    cases = {}
    for name in TITLES:
        failed = tally.failed(name)
        for topic in tally.topics(name):
            for question, failures in failed.items():
                case = tally.cases[question]
                if case["topic"] == topic.key:
                    cases.setdefault(case["case"], []).append((question, failures))
    return cases


def html(tally):
    cases = cases_in_order(tally)
    numbers = {case: number for number, case in enumerate(cases, 1)}
    results = tally.results
    libraries = [row.key for row in tally.of_set("rfc9309")]
    others = sum(not row.is_own for row in tally.of_set("rfc9309"))
    sections = "".join(section(tally, name) for name in TITLES)
    descriptions = "".join(
        library(tally, [row for row in tally.rows if row.key == key], numbers) for key in libraries
    )
    cards = "".join(case_card(tally, case, entries, numbers[case]) for case, entries in cases.items())
    digests = "; ".join(f"{name} {digest[:12]}" for name, digest in results["sha256"].items())
    findings = "".join(f"<li>{escape(sentence, quote=False)}</li>" for sentence in tally.findings())
    chains = sum(
        count for why, count in tally.of_set("rfc9309")[0].not_asked.items() if not why.startswith("no ")
    )
    asked = results["questions"]["rfc9309"] - chains
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>How libraries read robots.txt</title>
<style>
{(FIELD / "style.css").read_text("utf-8")}</style>
</head>
<body>
<header>
<h1>How libraries read robots.txt</h1>
<p class="lede">{others} libraries and this project answered {asked} questions about RFC 9309, and more where they claim
to read robots.txt as Google does or as older standards say. This project wrote the questions; its own rows are the last.</p>
<ul>{findings}</ul>
<nav aria-label="Sections"><ul>{"".join(f'<li><a href="#{anchor(name)}">{escape(title)}</a></li>' for name, title in TITLES.items())}
<li><a href="#topics">Topics</a></li><li><a href="#libraries">Libraries</a></li><li><a href="#cases">Cases</a></li><li><a href="#method">Method</a></li></ul></nav>
</header>
<main>
{sections}
<h2 id="topics">Topics</h2>
{topic_legend(tally)}
<h2 id="libraries">Libraries and their other answers</h2>
<p>Every question that a library answered otherwise than expected, or not at all. A case links to its file and source.</p>
{descriptions}
<h2 id="cases">Cases</h2>
<p>Every case with another answer. ␍ is a carriage return, ␉ a tab, ␀ a NUL, [BOM] a byte order mark.</p>
{cards}
<h2 id="method">Method</h2>
<ul>
<li>This project wrote the questions. Its own row, the last one, shows that the adapter works and that its program passes its own
tests, no more. Judge the expected answers by their sources.</li>
<li>Settled by a standard: right answers of those given, where a sentence of a standard or of Google's documentation settles the
answer; rounded down. Many questions are about rare files, so a share is not that of real sites.</li>
<li>Left open: the standard is silent or leaves a choice, and the expected answer is this project's. Another answer is not an
error of the library, and the matrices leave these questions out.</li>
<li>Faults: an error, a crash, or no answer in {results["time_limit"]} seconds. They count neither as right nor as wrong.</li>
<li>{chains} of the {results["questions"]["rfc9309"]} questions about RFC 9309 need a robot with several names or one that does not obey
<code>*</code>. No adapter can ask for that.</li>
<li>Every library receives the product token as the robot's name, and answers as configured by default, without requests.</li>
</ul>
</main>
<footer>Asked {tally.asked()}. Questions (SHA-256): {digests}.
<code>python3 tests/conformance/field/run.py</code> repeats it; <a href="conformance.md">conformance.md</a> has the tables as text.</footer>
</body>
</html>
"""
