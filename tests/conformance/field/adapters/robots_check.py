"""Answers questions with this project: one run of `robots check --batch` for each. The protocol is in README.md.

`FIELD_ROBOTS` is the program.
"""

import base64
import json
import os
import subprocess
import sys
import tempfile


def archive(question):
    """Returns a WARC record with the robots.txt as response."""
    file = base64.b64decode(question["robots_base64"]) if "robots_base64" in question else question["robots"].encode()
    response = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + file
    head = (
        "WARC/1.0\r\nWARC-Type: response\r\n"
        f"WARC-Target-URI: {question['robots_url']}\r\n"
        "WARC-Date: 2026-01-01T00:00:00Z\r\n"
        "WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000000>\r\n"
        f"Content-Type: application/http;msgtype=response\r\nContent-Length: {len(response)}\r\n\r\n"
    )
    return head.encode() + response + b"\r\n\r\n"


def reply(question, folder):
    """Returns the answer to a question, or why there is none."""
    if question["ask"] == "crawl_delay":
        return {"unsupported": "robots check --batch does not show Crawl-delay"}
    path = os.path.join(folder, "robots.warc")
    with open(path, "wb") as file:
        file.write(archive(question))
    row = {"robots": question["robots_url"], "agent": question["agent"], "url": question["url"]}
    command = [os.environ["FIELD_ROBOTS"], "check", "--batch", "-", "--robots", path]
    run = subprocess.run(
        # A question states all names of the robot.
        [*command, "--name-alone", "--dialect", question["dialect"], "--json"],
        input=json.dumps(row).encode() + b"\n",
        capture_output=True,
        check=False,
    )
    try:
        answer = json.loads(run.stdout)
    except ValueError:
        return {"error": run.stderr.decode("utf-8", "replace")[:300]}
    if answer["allowed"] is None:
        return {"error": str(answer.get("error"))[:300]}
    return {"allowed": answer["allowed"]}


def main():
    with tempfile.TemporaryDirectory() as folder:
        for line in sys.stdin:
            print(json.dumps(reply(json.loads(line), folder)), flush=True)


if __name__ == "__main__":
    main()
