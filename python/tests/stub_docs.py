"""The docstrings of the stubs, which are those of the native module: python tests/stub_docs.py writes them.

The module has them from the comments of the Rust code. A test fails if the stubs have others.
"""

import ast
import inspect
import textwrap
from pathlib import Path

from robots_policy import _native

STUBS = Path(__file__).resolve().parents[1] / "python" / "robots_policy" / "_native.pyi"


def documented(source):
    """Returns stubs with the docstrings of the module, in place of their own."""
    lines = _undocumented(source).splitlines()
    for node, text in _definitions("\n".join(lines)):
        if text is None:
            continue
        if isinstance(node, ast.FunctionDef):
            lines[node.end_lineno - 1] = lines[node.end_lineno - 1].removesuffix(" ...")
        at = node.lineno if isinstance(node, ast.ClassDef) else node.end_lineno
        end = "\n" if "\n" in text else ""
        docstring = f'"""{text}{end}"""'.replace("\\", "\\\\")
        lines[at:at] = textwrap.indent(docstring, " " * (node.col_offset + 4)).splitlines()
    return "\n".join(lines) + "\n"


def _undocumented(source):
    """Returns stubs without docstrings: the body of each function is `...` at the end of its last line."""
    lines = source.splitlines()
    for node, _ in _definitions(source):
        if ast.get_docstring(node) is not None:
            first, last = node.body[0].lineno, node.body[0].end_lineno
            if isinstance(node, ast.FunctionDef):
                lines[first - 2] += " ..."
            del lines[first - 1 : last]
    return "\n".join(lines)


def _definitions(source):
    """Returns the public functions, classes, methods and properties of stubs with their docstrings in the module, the last first."""
    def public(body, owner):
        nodes = (node for node in body if isinstance(node, ast.ClassDef | ast.FunctionDef))
        return [(node, getattr(owner, node.name)) for node in nodes if not node.name.startswith("_")]

    found = []
    for node, value in public(ast.parse(source).body, _native):
        members = public(node.body, value) if isinstance(node, ast.ClassDef) else []
        found += [(node, value), *members]
    return [(node, inspect.getdoc(value)) for node, value in reversed(found)]


if __name__ == "__main__":
    STUBS.write_text(documented(STUBS.read_text()))
