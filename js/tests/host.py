"""Calls the module from another host, with nothing but the interface that README.md describes: python host.py ROBOTS_WASM

Needs the package wasmtime.
"""

import json
import sys

from wasmtime import Instance, Module, Store


class Robots:
    def __init__(self, path):
        self.store = Store()
        exports = Instance(self.store, Module.from_file(self.store.engine, path), []).exports(self.store)
        self.memory = exports["memory"]
        self.functions = exports
        assert self.number("robots_interface") == 1

    def number(self, name, *arguments):
        return self.functions[name](self.store, *arguments)

    def address(self, name, *arguments):
        """Returns an address: an unsigned number."""
        return self.number(name, *arguments) & 0xFFFF_FFFF

    def call(self, name, number=0, arguments=None, body=b""):
        """Returns the number that a function returns. Raises ValueError for a failure."""
        written = b"" if arguments is None else json.dumps(arguments).encode()
        start = self.address("robots_input", len(written) + len(body))
        assert start != 0, "no memory"
        self.memory.write(self.store, written + body, start)
        result = self.number(name, number, len(written), len(body))
        if result < 0:
            failure = json.loads(self.output(-result))
            raise ValueError(f"{failure['code']}: {failure['message']}")
        return result

    def output(self, length):
        start = self.address("robots_output")
        return bytes(self.memory.read(self.store, start, start + length))

    def json(self, *arguments):
        return json.loads(self.output(self.call(*arguments)))


robots = Robots(sys.argv[1])
file = robots.call("robots_txt", 0, {"url": "https://example.com/robots.txt"}, b"User-agent: *\nDisallow: /private\n")
rules = robots.call("robots_rules", file, {"robot": "ExampleBot"})
assert robots.call("robots_rules_allowed", rules, None, b"/private/a") == 0
assert robots.call("robots_rules_allowed", rules, None, b"/a") == 1
assert robots.json("robots_rules_verdict", rules, None, b"/private")["rule"]["line"] == 2

policy = robots.call("robots_policy", 0, {"robot": "Googlebot"})
robots.call("robots_policy_learn", policy, {"url": "https://example.com/", "has_body": True}, b"User-agent: *\nDisallow: /private\n")
page = b"<meta name=robots content=noindex>"
decision = robots.json("robots_policy_decide", policy, {"url": "https://example.com/a", "status": 200, "has_html": True}, page)
assert (decision["fetch"], decision["index"]) == ("allow", "no")

# A wrong number, length or argument is a failure, and the instance is as good as before.
assert robots.number("robots_free", rules) == 1
assert robots.number("robots_free", rules) == 0
for name, number, arguments, body, error in [
    ("robots_rules_allowed", rules, None, b"/a", "no_object"),
    ("robots_rules_allowed", file, None, b"/a", "no_object"),
    ("robots_rules_allowed", 2**31 - 1, None, b"/a", "no_object"),
    ("robots_policy", 0, {"robot": "a", "profil": "google"}, b"", "invalid_argument"),
    ("robots_policy", 0, {"robot": "Mozilla/5.0 (x)"}, b"", "invalid_robot"),
]:
    try:
        robots.call(name, number, arguments, body)
    except ValueError as raised:
        assert str(raised).startswith(error), raised
    else:
        raise AssertionError(f"{name} did not fail")
assert robots.number("robots_rules_allowed", file, 2**31 - 1, 2**31 - 1) < 0
assert robots.call("robots_rules", file, {"robot": "ExampleBot"}) == rules
print("the module answers another host")
