"""Installs the pinned libraries below target/field, and returns how each is started."""

import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from questions import FIELD

PROJECT = FIELD.parents[2]
TARGET = PROJECT / "target" / "field"
VERSION_COMMANDS = {
    "Node.js": ["node", "--version"],
    "Perl": ["perl", "-e", "print $^V"],
    "Python": [sys.executable, "--version"],
    "Rust": ["rustc", "--version"],
}
"""The command that prints the version of each language."""
LIBRARIES = json.loads((FIELD / "libraries.json").read_text("utf-8"))["libraries"]


def run(command, **options):
    """Runs a command; its output goes to standard error."""
    subprocess.run([str(word) for word in command], check=True, stdout=sys.stderr, **options)


def installed(name, fill):
    """Returns the folder of this name; calls `fill` with an empty folder first if there is none.

    The folder gets its name when it is filled, so an interrupted installation starts again.
    """
    folder = TARGET / "installed" / name
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="partial-", dir=folder.parent) as temporary:
            partial = Path(temporary) / name
            partial.mkdir()
            fill(partial)
            partial.rename(folder)
    return folder


def pinned():
    """Returns the version of each package in requirements.txt."""
    lines = (FIELD / "requirements.txt").read_text("utf-8").splitlines()
    return dict(line.split("==") for line in lines if "==" in line)


def install_pip(library):
    """Installs a package of PyPI into a folder of its own."""
    version = pinned()[library["key"]]

    def fill(folder):
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-warn-conflicts"]
        run([*pip, "--target", folder, "--constraint", FIELD / "requirements.txt", library["key"]])

    folder = installed(f"python-{library['key']}-{version}", fill)
    return version, {"PYTHONPATH": str(folder)}


def install_python(_library):
    """Needs nothing: the library is a part of Python."""
    return f"of Python {platform.python_version()}", {}


def install_npm(library):
    """Installs the packages of package-lock.json."""

    def fill(folder):
        for name in ("package.json", "package-lock.json"):
            (folder / name).write_bytes((FIELD / name).read_bytes())
        run(["npm", "ci", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=folder)

    digest = hashlib.sha256((FIELD / "package-lock.json").read_bytes()).hexdigest()[:12]
    folder = installed(f"node-{digest}", fill)
    lock = json.loads((FIELD / "package-lock.json").read_text("utf-8"))["packages"]
    versions = [lock[f"node_modules/{name}"]["version"] for name in (library["key"], *library.get("with", []))]
    text = versions[0] + "".join(
        f" with {name} {version}" for name, version in zip(library.get("with", []), versions[1:], strict=True)
    )
    return text, {"FIELD_NODE_MODULES": str(folder / "node_modules")}


def install_cargo(library):
    """Builds the adapter for Rust."""
    manifest = FIELD / "adapters" / "rust" / "Cargo.toml"
    run(
        ["cargo", "build", "--quiet", "--release", "--locked", "--manifest-path", manifest],
        env=os.environ | {"CARGO_TARGET_DIR": str(TARGET / "rust")},
    )
    lock = tomllib.loads((manifest.parent / "Cargo.lock").read_text("utf-8"))["package"]
    name = library.get("package", library["key"])
    return next(package["version"] for package in lock if package["name"] == name), {}


def install_debian(library):
    """Unpacks packages of Debian, without installing them on the system."""
    names = [f"{name}={version}" for name, version in library["packages"].items()]

    def fill(folder):
        packages = folder / "packages"
        packages.mkdir()
        run(["apt-get", "download", "-qq", *names], cwd=packages, stderr=subprocess.DEVNULL)
        for package in sorted(packages.iterdir()):
            run(["dpkg-deb", "-x", package, folder])

    folder = installed("-".join(["debian", *library["packages"].values()]), fill)
    text = ", ".join(f"{name} {version}" for name, version in library["packages"].items())
    return text, {"PERL5LIB": str(folder / "usr" / "share" / "perl5")}


def install_program(_library):
    """Finds this project's program: `FIELD_ROBOTS`, or else builds it."""
    program = os.environ.get("FIELD_ROBOTS")
    if not program:
        run(["cargo", "build", "--quiet", "--release", "--locked", "-p", "robots-cli"], cwd=PROJECT)
        program = str(PROJECT / "target" / "release" / "robots")
    return printed([program, "--version"]).split("\n")[0].removeprefix("robots "), {"FIELD_ROBOTS": program}


def install_python_package(_library):
    """Finds this project's Python package: in the folder `FIELD_PYTHON`, or else builds it."""
    folder = os.environ.get("FIELD_PYTHON")
    if not folder:
        folder = str(TARGET / "python")
        shutil.rmtree(folder, ignore_errors=True)
        Path(folder).mkdir(parents=True)
        run(["bash", ".ci/quick_package", folder], cwd=PROJECT)
    environment = {"PYTHONPATH": folder}
    command = [sys.executable, "-c", "import robots_policy; print(robots_policy.__version__)"]
    return printed(command, environment), environment


def install_npm_package(_library):
    """Finds this project's npm package, in the folder `FIELD_NPM`, or else builds it."""
    folder = os.environ.get("FIELD_NPM")
    if not folder:
        folder = str(PROJECT / "js")
        run(["bash", "js/build.sh"], cwd=PROJECT)
    package = json.loads((Path(folder) / "package.json").read_text("utf-8"))
    return package["version"], {"FIELD_NPM": folder}


def printed(command, environment=None):
    """Returns what a command prints, without the line end."""
    run = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ | (environment or {}))
    return run.stdout.strip()


def command_of(library):
    """Returns the command of the library's adapter."""
    program, *rest = library["command"]
    if program == "rust":
        return [str(TARGET / "rust" / "release" / "field-adapter"), *rest]
    program = {"python": sys.executable}.get(program, program)
    return [program, str(FIELD / rest[0]), *rest[1:]]


def install(library):
    """Installs a library. Returns its version, the adapter's command and its environment."""
    version, environment = globals()[f"install_{library['install']}"](library)
    return version, command_of(library), os.environ | environment


def platform_of(library):
    """Returns the library's language with the version that is installed here."""
    language = library["language"]
    return f"{language} {re.search(r'[0-9][0-9.]*', printed(VERSION_COMMANDS[language]))[0]}"
