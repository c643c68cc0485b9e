"""The drop-ins compared with Protego and urllib.robotparser, on real robots.txt files.

A row of the tables in README.md and in docs/semantics.md is a change of the question here. Where two parsers answer otherwise, the
row is found without which they agree, or a few rows. An answer that all rows together do not explain fails. ROBOTS_SEED is another
seed, ROBOTS_CASES another number of files.
"""

import os
import re
import urllib.robotparser
from collections import Counter
from pathlib import Path
from random import Random
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import pytest
from test_interfaces import is_historic

from robots_policy import Agent, records
from robots_policy.protego import Protego
from robots_policy.robotparser import RobotFileParser

pa = pytest.importorskip("pyarrow")
protego = pytest.importorskip("protego")

ROOT = Path(__file__).resolve().parents[2]
FILES = Path(os.environ.get("ROBOTS_CORPUS", ROOT.parent / "shared")) / "corpus" / "robots.warc.gz"

pytestmark = pytest.mark.skipif(not FILES.exists(), reason="the corpus is not there")

SEED = int(os.environ.get("ROBOTS_SEED", "1"))
#: The number of files of the slow tests.
SAMPLE = int(os.environ.get("ROBOTS_CASES", "500"))

historic = pytest.mark.skipif(not is_historic(), reason="urllib.robotparser of this Python has another reading")

AGENTS = [
    "Googlebot",
    "Googlebot-Image",
    "bingbot",
    "GPTBot",
    "ExampleBot",
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
    "Scrapy/2.13 (+https://scrapy.org)",
]
RULES = {"allow", "disallow"}
VALUES = {"crawl_delay": "crawl-delay", "request_rate": "request-rate", "visit_time": "visit-time"}


class Question(NamedTuple):
    """A question about a file: a method of the interface, and for `can_fetch` the URL."""

    text: str
    agent: str
    method: str
    url: str = ""


def explanation(parsers, rows, question, known):
    """Returns the names of the rows that explain a difference; None if there are none. `known` are those of earlier differences in
    the file."""

    def agree(names):
        changed = question
        for name in names:
            changed = rows[name](changed)
        ours, theirs = (parse(changed.text)(changed) for parse in parsers)
        return ours == theirs

    for names in [*known, *((name,) for name in rows)]:
        if agree(names):
            break
    else:
        needed = list(rows)
        if not agree(needed):
            return None
        for name in reversed(rows):
            without = [one for one in needed if one != name]
            if agree(without):
                needed = without
        names = tuple(needed)
    if names not in known:
        known.append(names)
    return names


def lines_of(question, change):
    """Returns the question with each line changed: `change` gets the name of a field in lower case, the value and the line, and
    returns a line, or None to drop it. A line without a colon has no name."""
    lines = []
    for line in re.split("\r\n|\r|\n", question.text):
        field, colon, value = line.partition("#")[0].partition(":")
        lines.append(change(field.strip().lower() if colon else None, value.strip(), line))
    return question._replace(text="\n".join(line for line in lines if line is not None))


def of_rules(change):
    """Returns a row that changes the values of rules."""

    def changed(field, value, line):
        return f"{field}: {change(value)}" if field in RULES else line

    return lambda question: lines_of(question, changed)


def with_url(question, change):
    """Changes the path and query of the URL."""
    path = urlsplit(question.url)._replace(scheme="", netloc="").geturl()
    return question._replace(url=question.url.removesuffix(path) + change(path)) if path else question


def token(name):
    """Returns the product token that a name begins with, in lower case."""
    return re.match(r"[\w.\x80-\U0010ffff-]*", name)[0].lower()


def names(question):
    """The robot has a name of its own, which no other name contains."""
    agent = token((Agent.from_user_agent(question.agent) or Agent(question.agent)).name)

    def changed(field, value, line):
        if field != "user-agent":
            return line
        is_star = value == "*" or value.startswith("* ")
        return "User-agent: " + ("*" if is_star else "self" if agent and token(value) == agent else "other")

    return lines_of(question, changed)._replace(agent="self")


def known_fields(question):
    """Only the fields that matter to the question."""
    kept = {"user-agent", VALUES.get(question.method), *RULES}
    return lines_of(question, lambda field, value, line: line if field is None or field in kept else None)


def spelt_fields(question):
    """Only fields with a colon that are not misspelt."""
    fields = {"user-agent", "sitemap", "host", *RULES, *VALUES.values()}
    misspelt = re.compile(r"(user.?agent|dis?sall?ow|disalow|diasllow|disallaw|site-?maps?|[a-z]+ [a-z]+)\b")
    return lines_of(
        question,
        lambda field, value, line: None if field is None or field not in fields and misspelt.match(field) else line,
    )


def plain(text):
    """Returns a path whose characters all parsers compare as they are."""
    return re.sub(r"%[0-9A-Fa-f]{2}|[^A-Za-z0-9/*$._~-]", "x", text)


def encoding(question):
    """Only paths whose characters all parsers compare as they are."""
    return with_url(of_rules(plain)(question), lambda path: plain(path).replace("*", "x").replace("$", "x"))


def common_values(question):
    """Values that both parsers read: digits, a unit, and four digits for an hour. Others become such a value."""
    if question.method == "can_fetch":
        return question
    hours = r"([01]\d|2[0-3])[0-5]\d-([01]\d|2[0-3])[0-5]\d"
    common = {
        "crawl-delay": (r"\d{1,6}", "7"),
        "request-rate": (rf"[1-9]\d*/[1-9]\d{{0,4}}[smh]?( {hours})?", "1/7"),
        "visit-time": (hours, "0700-0800"),
    }

    def changed(field, value, line):
        pattern, other = common.get(field, (".*", ""))
        return line if re.fullmatch(pattern, value) else f"{field}: {other}"

    return lines_of(question, changed)


def one_value(question):
    """The first value of a field for all lines of this field."""
    if question.method == "can_fetch":
        return question
    first = {}

    def changed(field, value, line):
        return f"{field}: {first.setdefault(field, value)}" if field in VALUES.values() else line

    return lines_of(question, changed)


def without_hours(question):
    """Rates without units and hours."""

    def changed(field, value, line):
        return "request-rate: " + re.sub(r"^(\d+/\d+).*", r"\1", value) if field == "request-rate" else line

    return lines_of(question, changed)


BYTE_ORDER_MARK = "byte order mark"
NAMES = "names"
GROUP_END = "end of a group"
DOLLAR = "$ at the end"
LAST = "the last of several values"
VALUES_ROW = "values that one of the two does not read"
RATE_HOURS = "rates with a unit or hours"
BLANK_LINES = "blank lines"
OWN_PATH = "/robots.txt with a query or with escapes"
STARS = "stars in the name of a robot"
#: The rows of the table of Protego.
PROTEGO = {
    BYTE_ORDER_MARK: lambda question: question._replace(text=question.text.removeprefix("\ufeff")),
    "line ends": lambda question: question._replace(text="\n".join(question.text.splitlines())),
    "500 KiB": lambda question: question._replace(text=question.text.encode()[:500_000].decode(errors="ignore")),
    OWN_PATH: lambda question: with_url(question, lambda path: re.sub(r"^/robots\.txt(\?.*)?$", "/robots", unquote(path))),
    STARS: lambda question: question._replace(agent=question.agent.replace("*", "") or "*"),
    "fields": spelt_fields,
    DOLLAR: of_rules(lambda value: value.rstrip("$")),
    "whole URLs": of_rules(lambda value: "" if value.startswith("http") else value),
    "index.html": of_rules(lambda value: re.sub(r"/index\.html$", "/index", value)),
    LAST: one_value,
    VALUES_ROW: common_values,
    NAMES: names,
    GROUP_END: known_fields,
    "encoding": encoding,
}


def without_blank_lines(question):
    return question._replace(text=re.sub(r"([ \t]*(\r\n|\r|\n))+", "\n", question.text))


def merged(question):
    """The groups of each name as one, in the order of RFC 9309, and only rules and the field of the question."""
    groups = {}
    current, ended = [], True

    def changed(field, value, line):
        nonlocal current, ended
        if field == "user-agent":
            if ended:
                current, ended = [], False
            current.append(groups.setdefault(value.lower(), []))
        elif field in RULES or field and field == VALUES.get(question.method):
            ended |= field in RULES
            for group in current:
                group.append((field, value))

    lines_of(question, changed)
    text = "".join(
        f"User-agent: {name}\n" + "".join(f"{field}: {value}\n" for field, value in group or [("disallow", "")]) + "\n"
        for name, group in groups.items()
    )
    return question._replace(text=text)


def longest_first(question):
    """The rules of each group by length, `Allow` first."""
    lines, rules = [], []

    def flush():
        lines.extend(line for _, line in sorted(rules, key=lambda rule: rule[0]))
        rules.clear()

    def changed(field, value, line):
        if field in RULES:
            rules.append(((-len(value.encode()), field), line))
        else:
            flush()
            lines.append(line)

    lines_of(question, changed)
    flush()
    return question._replace(text="\n".join(lines))


#: The rows of urllib.robotparser.
ROBOTPARSER = {
    BYTE_ORDER_MARK: PROTEGO[BYTE_ORDER_MARK],
    "line ends": PROTEGO["line ends"],
    "500 KiB": PROTEGO["500 KiB"],
    RATE_HOURS: without_hours,
    VALUES_ROW: common_values,
    LAST: one_value,
    "/robots.txt": lambda question: question._replace(url=question.url.replace("/robots.txt", "/robots")),
    BLANK_LINES: without_blank_lines,
    NAMES: names,
    "all groups": merged,
    "*": of_rules(lambda value: value.replace("*", "x").replace("$", "x")),
    "encoding": encoding,
    "the longest rule": longest_first,
}


def of_protego(parse):
    """Returns a function that reads a text, and returns a function that answers questions with an interface of Protego."""

    def read(text):
        parser = parse(text)

        def ask(question):
            if question.method == "can_fetch":
                return parser.can_fetch(question.url, question.agent)
            return getattr(parser, question.method)(question.agent)

        return ask

    return read


def of_robotparser(new):
    """Does what `of_protego` does, with an interface of urllib.robotparser."""

    def read(text):
        parser = new()
        parser.parse(text.splitlines())

        def ask(question):
            if question.method == "can_fetch":
                return parser.can_fetch(question.agent, question.url)
            return getattr(parser, question.method)(question.agent)

        return ask

    return read


@pytest.fixture(scope="module")
def files():
    """The URL and the text of each file."""
    rows = pa.table(records(str(FILES), types="response", columns=["target_uri", "payload"])).to_pylist()
    assert len(rows) > 4_000
    return [(row["target_uri"], (row["payload"] or b"").decode("utf-8", "replace")) for row in rows]


def escaped(text):
    return "".join(f"%{byte:02x}" for byte in text.encode())


def urls(random, url, text):
    """Returns URLs of the paths of some rules, and others like them."""
    values = []
    for line in text.splitlines():
        field, _, value = line.partition("#")[0].partition(":")
        if field.strip().lower() in RULES and value.strip():
            values.append(value.strip())
    paths = ["/", "/robots.txt?a"]
    for value in random.sample(values, min(6, len(values))):
        other = random.choice(values).lstrip("/")
        paths += random.sample(
            [
                value,
                value.replace("*", "x").rstrip("$"),
                value.replace("*", "").rstrip("$") + "x",
                value.replace("*", "a/b").rstrip("$") + other.replace("*", "x"),
                value.replace("*", "").rstrip("$") + "?c=d%3De",
                value.rpartition("/")[0] + "/",
                "".join(char if char in "/*%" or random.random() < 0.8 else escaped(char) for char in value),
            ],
            2,
        )
    base = url.rpartition("/robots.txt")[0]
    return [base + "/" + path.removeprefix("/") for path in paths]


def compare(files, parsers, rows, methods):
    """Returns the numbers of answers by the method and by the rows that explain a difference: none if there is no difference.
    Fails if no row does."""
    random = Random(SEED)
    counts = Counter()
    for url, text in files:
        known = []
        ours, theirs = (parse(text) for parse in parsers)
        named = [value.strip() for value in re.findall(r"(?im)^user-agent:([^\r\n#]*)", text) if value.strip()]
        for agent in [*random.sample(AGENTS, 2), random.choice(named or AGENTS)]:
            questions = [Question(text, agent, "can_fetch", one) for one in urls(random, url, text)]
            for question in [*questions, *(Question(text, agent, method) for method in methods)]:
                names = ()
                if ours(question) != theirs(question):
                    names = explanation(parsers, rows, question, known)
                    assert names is not None, (url, agent, question.method, question.url)
                counts[question.method, names] += 1
    return counts


def reasons(counts):
    """Returns the rows that explain differences, by the method."""
    rows = {}
    for method, names in counts:
        rows.setdefault(method, set()).update(names)
    return rows


def sample(files):
    return Random(SEED).sample(files, min(SAMPLE, len(files)))


PROTEGOS = of_protego(protego.Protego.parse)


def test_protego_differs_as_its_table_says(files):
    counts = compare(sample(files), [of_protego(Protego.parse), PROTEGOS], PROTEGO, VALUES)
    assert reasons(counts)["can_fetch"] >= {BYTE_ORDER_MARK, NAMES, GROUP_END, DOLLAR, OWN_PATH}
    assert 0.9 < counts["can_fetch", ()] / sum(counts[key] for key in counts if key[0] == "can_fetch") < 1


def test_the_dialect_protego_answers_as_protego(files):
    parsers = [of_protego(lambda text: Protego.parse(text, dialect="protego")), PROTEGOS]
    counts = compare(files, parsers, PROTEGO, VALUES)
    rows = reasons(counts)
    assert rows["can_fetch"] <= {STARS, OWN_PATH}
    assert rows["crawl_delay"] <= {STARS, LAST, VALUES_ROW} and rows["visit_time"] <= {STARS, LAST, VALUES_ROW}
    assert rows["request_rate"] <= {STARS, VALUES_ROW}
    assert sum(count for (_, names), count in counts.items() if names) * 2_000 < counts["can_fetch", ()]


def test_the_dialect_protego_names_the_same_sitemaps_and_host(files):
    found = Counter()
    for url, text in files:
        ours, theirs = Protego.parse(text, dialect="protego"), protego.Protego.parse(text)
        assert list(ours.sitemaps) == list(theirs.sitemaps), url
        assert ours.preferred_host == theirs.preferred_host, url
        found.update(sitemaps=any(theirs.sitemaps), host=theirs.preferred_host is not None)
    assert found["sitemaps"] > 1_000 and found["host"] > 10


@historic
def test_robotparser_differs_as_its_rows_say(files):
    parsers = [of_robotparser(RobotFileParser), of_robotparser(urllib.robotparser.RobotFileParser)]
    counts = compare(sample(files), parsers, ROBOTPARSER, ["crawl_delay", "request_rate"])
    assert reasons(counts)["can_fetch"] >= {BYTE_ORDER_MARK, NAMES, BLANK_LINES}


@historic
def test_the_dialect_python_robotparser_answers_as_robotparser(files):
    parsers = [
        of_robotparser(lambda: RobotFileParser(dialect="python-robotparser")),
        of_robotparser(urllib.robotparser.RobotFileParser),
    ]
    counts = compare(sample(files), parsers, ROBOTPARSER, ["crawl_delay", "request_rate"])
    rows = reasons(counts)
    assert rows["can_fetch"] == set()
    assert rows["crawl_delay"] <= {LAST, VALUES_ROW} and rows["request_rate"] <= {LAST, VALUES_ROW, RATE_HOURS}
