"""Writes docs/conformance.md and docs/conformance.html from results.json; `--check` only compares them."""

import argparse
import sys

import questions
from report_html import html
from report_markdown import markdown
from tally import Tally

DOCS = questions.FIELD.parents[2] / "docs"


def pages():
    """Returns the pages with their paths."""
    tally = Tally()
    return {DOCS / "conformance.md": markdown(tally), DOCS / "conformance.html": html(tally)}


def write():
    """Writes the pages."""
    for path, text in pages().items():
        path.write_text(text, "utf-8")


def stale():
    """Returns the pages that differ from what results.json says."""
    return [
        path.name
        for path, text in pages().items()
        if not path.exists() or path.read_text("utf-8") != text
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="Fail if a page differs from results.json")
    arguments = parser.parse_args()
    if not arguments.check:
        write()
        return
    changed = [name for name, digest in questions.digests().items() if digest != Tally().results["sha256"][name]]
    if changed:
        print(f"note: {', '.join(changed)} changed since the libraries were asked: run run.py", file=sys.stderr)
    differing = stale()
    if differing:
        sys.exit(f"{', '.join(differing)}: not what results.json says; report.py writes them")


if __name__ == "__main__":
    main()
