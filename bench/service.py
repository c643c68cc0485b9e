"""Measures `robots serve` beside an echo, under the load of oha: python3 bench/service.py [ROW...]

The service and the echo are built first (`--profile dist`) unless ROBOTS_PROGRAM and ECHO name them; OHA names oha (`cargo install oha`).
Each round asks one server after the other. A row has the best round of each, and the processor time that the server itself took
for a request. Needs Linux and Python 3.
"""

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.request import Request, urlopen

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = int(os.environ.get("ROUNDS", "5"))
SECONDS = int(os.environ.get("SECONDS", "3"))
CONNECTIONS = 32
OHA = os.environ.get("OHA", "oha")
TICKS = os.sysconf("SC_CLK_TCK")
JSON = "application/json"
NDJSON = "application/x-ndjson"


def build():
    """Builds the service and the echo in one command, so that both have the same libraries."""
    command = ["cargo", "build", "--profile", "dist", "--locked", "--manifest-path", ROOT / "Cargo.toml"]
    command += ["-p", "robots-cli", "-p", "robots-server", "--bin", "robots", "--example", "echo"]
    subprocess.run(command, check=True)
    metadata = ["cargo", "metadata", "--no-deps", "--format-version", "1", "--manifest-path", ROOT / "Cargo.toml"]
    target = json.loads(subprocess.check_output(metadata))["target_directory"]
    return f"{target}/dist/robots", f"{target}/dist/examples/echo"


class Server:
    """A server in a process of its own."""

    def __init__(self, name, command, stream):
        self.name = name
        streams = {"stdout": subprocess.PIPE} if stream == "stdout" else {"stderr": subprocess.PIPE}
        self.process = subprocess.Popen(command, text=True, **streams)
        lines = getattr(self.process, stream)
        for line in lines:
            if found := re.search(r"127\.0\.0\.1:(\d+)", line):
                self.url = f"http://127.0.0.1:{found[1]}"
                break
        else:
            sys.exit(f"error: {name} did not start")
        # Log lines are read, as a system's journal does.
        threading.Thread(target=lambda: [None for _ in iter(lambda: os.read(lines.fileno(), 1 << 20), b"")], daemon=True).start()

    def seconds(self):
        """Returns the processor time since the start."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def ask(self, question):
        headers = {"Content-Type": question.media_type}
        with urlopen(Request(self.url + question.path, question.body, headers)) as response:
            return response.read()


class Question:
    """A request, and what its answer must be."""

    def __init__(self, path, body, is_right, media_type=JSON, decisions=1):
        self.path, self.media_type, self.is_right, self.decisions = path, media_type, is_right, decisions
        self.body = body if isinstance(body, bytes) else json.dumps(body).encode()


def load(server, question, rate=None, seconds=SECONDS):
    """Asks for some seconds over the connections, without a pause, or this often a second. Returns the answers a second, the time
    within which 99 of 100 came in ms, and the processor time of the server for one in us."""
    with tempfile.NamedTemporaryFile() as body:
        body.write(question.body)
        body.flush()
        command = [OHA, "--no-tui", "--output-format", "json", "-z", f"{seconds}s", "-c", str(CONNECTIONS), "-m", "POST"]
        command += ["-T", question.media_type, "-D", body.name]
        if rate:
            # The times count from when a request is due, not from when it is sent.
            command += ["-q", str(rate), "--latency-correction"]
        before = server.seconds()
        found = json.loads(subprocess.check_output([*command, server.url + question.path]))
        used = server.seconds() - before
    statuses = found["statusCodeDistribution"]
    if set(statuses) != {"200"}:
        sys.exit(f"error: {server.name} answered {statuses} {found['errorDistribution']}")
    number = statuses["200"]
    return number / found["summary"]["total"], found["latencyPercentiles"]["p99"] * 1e3, used / number * 1e6


def compare(service, echo, question, rate=None):
    """Measures both in turns. Returns for each the best of answers a second, of the 99th of 100, and of the processor time."""
    rounds = [[load(server, question, rate) for server in (service, echo)] for _ in range(ROUNDS)]
    best = []
    for place in (0, 1):
        rates, times, used = zip(*(found[place] for found in rounds))
        best.append((max(rates), min(times), min(used)))
    return best


def page(length):
    """Returns a page of this many bytes: a HEAD of usual size, and paragraphs."""
    head = "".join(f'<meta property="og:tag{number}" content="a tag of the page">\n' for number in range(12))
    head += '<meta name="robots" content="max-snippet:50, noarchive">\n<link rel="canonical" href="/offers/1">\n'
    html = f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<title>Offers</title>\n{head}</head>\n<body>\n'
    number = 0
    while len(html) < length:
        number += 1
        # One of 18 characters is escaped in JSON, as in the first 20,000 of a page of the corpus.
        html += f'<p class="text">Paragraph {number} of a page with <a href="/offers/{number}">a link</a> and words.</p>\n'
    return html[:length]


def robots_txt(length):
    """Returns a robots.txt of about this many bytes."""
    groups = ["User-agent: *\nDisallow: /private/\nDisallow: /*?session=\nAllow: /offers/\n"]
    numbers = random.Random(7)
    size = len(groups[0])
    while size < length:
        robot = f"User-agent: robot{len(groups)}\n" if len(groups) % 2 else "User-agent: Googlebot\n"
        rules = "".join(f"Disallow: /folder{numbers.randrange(10_000)}/*/print\n" for _ in range(8))
        groups.append(robot + rules)
        size += len(groups[-1])
    return "\n".join(groups).encode()


def site(body):
    """Serves a robots.txt on a port of its own. Returns its origin."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/plain")
            self.send_header("Cache-Control", "max-age=86400")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def answers(text):
    return [json.loads(line) for line in text.splitlines()]


def questions():
    """Returns the questions by the names of their rows."""
    small, large = site(robots_txt(1600)), site(robots_txt(100_000))

    def decide(origin, **more):
        return {"url": f"{origin}/offers/1", "fetch": True, "headers": [["Content-Type", "text/html"]], **more}

    def is_decided(answer):
        [decision] = json.loads(answer)
        return decision["fetch"] == "allow" and decision["archive"] == "no"

    def check(origin, number):
        return {"urls": [f"{origin}/offers/{place}?q=1" for place in range(number)], "fetch": True, "agents": ["Googlebot"]}

    def all_allowed(number):
        return lambda answer: [verdict["allowed"] for verdict in json.loads(answer)] == [True] * number

    def bulk(length, number, **more):
        line = json.dumps(decide(small, html=page(length), **more)).encode()
        is_right = lambda text: all(line["decisions"][0]["archive"] == "no" for line in answers(text))
        is_whole = lambda text: len(answers(text)) == number and is_right(text)
        return Question("/v1/decide/bulk", (line + b"\n") * number, is_whole, NDJSON, number)

    return {
        "decide": Question("/v1/decide", decide(small, html=page(20_000)), is_decided),
        "decide-large-file": Question("/v1/decide", decide(large, html=page(20_000)), is_decided),
        "check": Question("/v1/check", check(small, 1), all_allowed(1)),
        "check-large-file": Question("/v1/check", check(large, 1), all_allowed(1)),
        "check-100-urls": Question("/v1/check", check(small, 100), all_allowed(100)),
        "bulk": bulk(1000, 2000, explain=False),
        "bulk-explained": bulk(1000, 2000),
        "bulk-20-KB": bulk(20_000, 100, explain=False),
    }


def main():
    robots, echo = os.environ.get("ROBOTS_PROGRAM"), os.environ.get("ECHO")
    if not (robots and echo):
        robots, echo = build()
    settings = ["--set", "allow-private=true", *(f"--set={setting}" for setting in os.environ.get("SETTINGS", "").split())]
    service = Server("the service", [robots, "serve", "--listen", "127.0.0.1:0", *settings], "stderr")
    echo = Server("the echo", [echo], "stdout")
    rows = questions()
    wanted = sys.argv[1:] or list(rows)
    print(f"{subprocess.check_output([OHA, '--version'], text=True).strip()}, {CONNECTIONS} connections,", end=" ")
    print(f"the best of {ROUNDS} rounds of {SECONDS} s, load {os.getloadavg()[0]:.1f}", flush=True)
    print("| row | service: answers/s, p99, processor time each | echo | ratio: answers/s, processor time |")
    print("| --- | --- | --- | --- |")

    def cell(found):
        return f"{found[0]:.0f}/s, {found[1]:.2f} ms, {found[2]:.1f} us"

    for name in wanted:
        question = rows[name]
        if not question.is_right(service.ask(question)):
            sys.exit(f"error: the answer to {name} is wrong: {service.ask(question)[:400]}")
        if name.startswith("bulk"):
            rounds = [load(service, question) for _ in range(ROUNDS)]
            rate = max(found[0] for found in rounds) * question.decisions
            used = min(found[2] for found in rounds) / question.decisions
            print(f"| {name} | {rate:.0f} decisions/s, {used:.1f} us | | |", flush=True)
            continue
        ours, theirs = compare(service, echo, question)
        print(f"| {name} | {cell(ours)} | {cell(theirs)} | {ours[0] / theirs[0]:.2f}, {theirs[2] / ours[2]:.2f} |", flush=True)
        half = int(ours[0] / 2)
        ours, theirs = compare(service, echo, question, half)
        print(f"| {name}, {half}/s | {cell(ours)} | {cell(theirs)} | |", flush=True)
    for server in (service, echo):
        server.process.terminate()
        server.process.wait()


if __name__ == "__main__":
    main()
