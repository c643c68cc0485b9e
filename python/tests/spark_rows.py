"""The rows of DataFrames beside those of the program `robots`."""

import csv
import subprocess
import time

from test_program import PROGRAM

AT = 1_790_000_000


def of_program(pages, robots, agents, profiles, more="--explain"):
    """Returns the rows of `robots decide --explain`, or with another option, as texts, sorted."""
    command = [PROGRAM, "decide", "--format", "csv", more, "--now", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(AT))]
    for option, values in (("--agent", agents), ("--profile", profiles), ("--robots", robots)):
        command += [argument for value in values for argument in (option, value)]
    run = subprocess.run([*command, *pages], capture_output=True, text=True, check=False)
    assert run.returncode in (0, 1), run.stderr
    rows = csv.DictReader(run.stdout.splitlines(keepends=True))
    return sorted([tuple((name, unguarded(text)) for name, text in row.items()) for row in rows])


def of_frame(frame):
    """Returns the rows of decisions as texts, sorted. None has an error."""
    rows = frame.toArrow().to_pylist()
    assert [row["error"] for row in rows if row["error"] is not None] == []
    return sorted(tuple((name, as_text(value)) for name, value in row.items() if name != "error") for row in rows)


def as_text(value):
    """Returns the text of a value in CSV, as docs/columns.md has it."""
    if value is None:
        return ""
    if isinstance(value, list):
        return "; ".join(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if hasattr(value, "strftime"):
        return value.strftime("%Y-%m-%dT%H:%M:%SZ")
    return str(value)


def unguarded(text):
    return text[1:] if text.startswith("'") else text
