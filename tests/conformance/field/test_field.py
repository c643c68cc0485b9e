"""Tests of the runner and of what it reads: `python3 -m unittest discover tests/conformance/field`."""

import os
import sys
import unittest

import questions
from run import Adapter, outcome


def adapter(body, time_limit=20):
    """Returns an adapter that runs these lines of Python for each question."""
    program = f"import sys, time, os\nfor line in sys.stdin:\n {body}\n sys.stdout.flush()"
    return Adapter([sys.executable, "-c", program], os.environ, time_limit)


class Adapters(unittest.TestCase):
    def ask_twice(self, body, **options):
        started = adapter(body, **options)
        self.addCleanup(started.stop)
        return [started.ask({"robots": "x" * 200_000}) for _ in range(2)]

    def test_an_answer_is_returned(self):
        self.assertEqual(self.ask_twice("print('{\"allowed\": true}')"), [{"allowed": True}] * 2)

    def test_a_crash_is_reported_and_the_next_question_is_asked(self):
        expected = {"crash": "the process ended with status 3"}
        self.assertEqual(self.ask_twice("os._exit(3)"), [expected] * 2)

    def test_a_hang_is_reported_and_the_next_question_is_asked(self):
        expected = {"timeout": "no answer after 0.5 s"}
        self.assertEqual(self.ask_twice("time.sleep(60)", time_limit=0.5), [expected] * 2)

    def test_an_adapter_that_does_not_read_is_a_hang(self):
        asked = Adapter([sys.executable, "-c", "import time; time.sleep(60)"], os.environ, 0.5)
        self.addCleanup(asked.stop)
        self.assertIn("timeout", asked.ask({"robots": "x" * 200_000}))

    def test_other_output_is_a_crash(self):
        self.assertIn("crash", self.ask_twice("print('hello')")[0])


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
