"""Tests of the runner and of what it reads: `python3 -m unittest discover tests/conformance/field`."""

import contextlib
import io
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import install
import questions
import run
import tally
from report_html import html
from report_markdown import markdown
from run import Adapter, asked, outcome


def adapter(body, time_limit=20):
    """Returns an adapter that runs these lines of Python for each question."""
    program = f"import sys, time, os\nfor line in sys.stdin:\n {body}\n sys.stdout.flush()"
    return Adapter([sys.executable, "-c", program], os.environ, time_limit)


class Adapters(unittest.TestCase):
    def ask_twice(self, body, **options):
        started = adapter(body, **options)
        self.addCleanup(started.stop)
        return [started.ask({"ask": "allowed", "robots": "x" * 200_000}) for _ in range(2)]

    def test_an_answer_is_returned(self):
        self.assertEqual(self.ask_twice("print('{\"allowed\": true}')"), [{"allowed": True}] * 2)

    def test_a_crash_is_reported_and_the_next_question_is_asked(self):
        expected = {"crash": "the process ended with status 3"}
        self.assertEqual(self.ask_twice("os._exit(3)"), [expected] * 2)

    def test_a_hang_is_reported_and_the_next_question_is_asked(self):
        expected = {"timeout": "no answer after 0.5 s"}
        self.assertEqual(self.ask_twice("time.sleep(60)", time_limit=0.5), [expected] * 2)

    def test_an_adapter_that_does_not_read_is_a_hang(self):
        silent = Adapter([sys.executable, "-c", "import time; time.sleep(60)"], os.environ, 0.5)
        self.addCleanup(silent.stop)
        self.assertIn("timeout", silent.ask({"ask": "allowed", "robots": "x" * 200_000}))

    def test_other_output_is_a_crash(self):
        self.assertIn("crash", self.ask_twice("print('hello')")[0])

    def test_an_invalid_reply_is_a_crash(self):
        for reply in (
            "[]",
            "true",
            "null",
            "{}",
            '{"crawl_delay": 1}',
            '{"allowed": "yes"}',
            '{"allowed": 1}',
            '{"allowed": []}',
            '{"unsupported": {}}',
            '{"allowed": true, "error": null}',
            '{"crash": "why"}',
            "[" * 100_000,
        ):
            expected = {"crash": f"the process wrote {(reply.encode() + os.linesep.encode())[:80]!r}"}
            with self.subTest(reply[:80]):
                self.assertEqual(self.ask_twice(f"print({reply!r})"), [expected] * 2)

    def test_other_keys_of_a_reply_are_left_out(self):
        self.assertEqual(run.parsed('{"allowed": true, "crash": "why"}', "allowed"), {"allowed": True})

    def test_a_delay_is_a_number_or_null(self):
        for reply in ({"crawl_delay": 1}, {"crawl_delay": 1.5}, {"crawl_delay": None}):
            self.assertEqual(run.parsed(json.dumps(reply), "crawl_delay"), reply)
        for value in ("1", True, [1]):
            with self.subTest(value), self.assertRaises(ValueError):
                run.parsed(json.dumps({"crawl_delay": value}), "crawl_delay")

    def test_an_adapter_with_invalid_replies_is_asked_every_question(self):
        asked_set = [question for question in questions.of_dialect("rfc9309") if not question.not_asked][:3]
        invalid = adapter("print([])")
        self.addCleanup(invalid.stop)
        failures = asked(invalid, asked_set, {})["failures"]
        self.assertEqual([kind for _, kind, _ in failures], ["crash"] * 3)


class Results(unittest.TestCase):
    """A run with `--only`, and what the pages say after it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "results.json"
        self.before = json.loads(run.RESULTS.read_text("utf-8"))
        self.write(self.before)

    def write(self, results):
        self.path.write_text(json.dumps(results), "utf-8")

    def ask_protego(self):
        adapter = [sys.executable, "-c", "import sys\nfor _ in sys.stdin: print('{\"error\": \"why\"}', flush=True)"]
        with (
            mock.patch("sys.argv", ["run.py", "--only", "protego"]),
            mock.patch("run.RESULTS", self.path),
            mock.patch("run.install", lambda _: ("9.9", adapter, os.environ)),
            mock.patch("run.platform_of", lambda _: "Python 9.8.7"),
            mock.patch("run.datetime") as datetime,
            mock.patch("run.report"),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            datetime.date.today().isoformat.return_value = "2999-12-31"
            run.main()
        return json.loads(self.path.read_text("utf-8"))

    def test_results_of_other_libraries_keep_their_date_and_platform(self):
        # Also when the questions have changed since the libraries were asked.
        self.write(self.before | {"sha256": questions.digests()})
        after = self.ask_protego()

        def others(results):
            return [row for row in results["runs"] if row["library"] != "protego"]

        self.assertEqual(others(after), others(self.before))
        (row,) = [row for row in after["runs"] if row["library"] == "protego"]
        expected = {"version": "9.9", "platform": "Python 9.8.7", "date": "2999-12-31"}
        self.assertEqual({key: row[key] for key in expected}, expected)
        self.assertEqual(after.keys(), self.before.keys())

    def test_pages_state_the_date_and_platform_of_each_library(self):
        rows = [row | {"date": "2001-02-03", "platform": "Perl 5.1"} for row in self.before["runs"]]
        changed = [
            row | {"date": "2999-12-31", "platform": "Python 9.8.7"} if row["library"] == "protego" else row for row in rows
        ]
        span = "Asked from 2001-02-03 to 2999-12-31 with Perl 5.1, Python 9.8.7."
        for runs, sentence in ((rows, "Asked on 2001-02-03 with Perl 5.1."), (changed, span)):
            self.write(self.before | {"runs": runs})
            with mock.patch("tally.RESULTS", self.path):
                pages = [markdown(tally.Tally()), html(tally.Tally())]
            for page in pages:
                self.assertIn(sentence, " ".join(page.split()))
        self.assertIn("| Python 9.8.7 | 2999-12-31 | RFC 9309 |", pages[0])
        self.assertIn("Asked on 2999-12-31 with Python 9.8.7. Claims: RFC 9309.", pages[1])

    def test_one_library_cannot_be_asked_under_other_conditions(self):
        for change in ({"sha256": {}}, {"sha256": questions.digests(), "time_limit": 1}):
            self.write(self.before | change)
            with self.subTest(change), self.assertRaises(SystemExit):
                self.ask_protego()


class Installations(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        target = mock.patch("install.TARGET", Path(folder.name))
        target.start()
        self.addCleanup(target.stop)

    def test_an_interrupted_installation_starts_again(self):
        def interrupted(folder):
            (folder / "half").touch()
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            install.installed("library-1.0", interrupted)
        folder = install.installed("library-1.0", lambda folder: (folder / "whole").touch())
        self.assertEqual([path.name for path in folder.iterdir()], ["whole"])
        self.assertEqual([path.name for path in folder.parent.iterdir()], ["library-1.0"])

    def test_a_library_is_installed_once(self):
        filled = mock.Mock()
        folders = {install.installed("library-1.0", filled) for _ in range(2)}
        self.assertEqual((len(folders), filled.call_count), (1, 1))


class Questions(unittest.TestCase):
    def test_a_comment_fills_the_file(self):
        self.assertEqual(questions.padded("a\n{pad:6}b"), "a\n###\nb")

    def test_paths_are_resolved(self):
        own = "https://example.com/robots.txt"
        self.assertEqual(questions.addresses("/a?b#c", None), (own, "https://example.com/a?b#c", "/a?b"))
        self.assertEqual(questions.addresses("http://a.example", None)[0], "http://a.example/robots.txt")
        self.assertEqual(questions.addresses("http://a.example?x", None)[2], "/?x")
        self.assertEqual(questions.addresses("/a?u=http://b", None)[1], "https://example.com/a?u=http://b")

    def test_kinds_of_outcomes(self):
        question = next(question for question in questions.of_dialect("rfc9309") if question.expected is False)
        self.assertEqual(outcome(question, {"allowed": False}), ("right", False))
        self.assertEqual(outcome(question, {"allowed": True}), ("wrong", True))
        self.assertEqual(outcome(question, {"error": "why"}), ("error", "why"))
        self.assertEqual(outcome(question, {"unsupported": "why"}), ("unsupported", "why"))


if __name__ == "__main__":
    unittest.main()
