// The small module: robots.txt alone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nameOfUserAgent, RobotsTxt } from "robots-policy/txt";
import { askAll } from "./questions.mjs";

test("questions about robots.txt", () => askAll(RobotsTxt));

test("the defaults are those of the whole package", () => {
  const file = RobotsTxt.parse("User-agent: *\nDisallow: /a\n");
  assert.equal(file.rules("Googlebot").dialect, "google");
  assert.equal(file.rules("ExampleBot").dialect, "rfc9309");
  assert.equal(file.rules("ExampleBot", { profile: "bing" }).dialect, "bing");
  // Engines request every robots.txt; the dialect alone leaves it to its callers.
  const closed = RobotsTxt.parse("User-agent: *\nDisallow: /\n");
  assert.ok(closed.rules("Googlebot").allowed("/robots.txt"));
  assert.ok(!closed.rules("Googlebot", { dialect: "google" }).allowed("/robots.txt"));
  assert.equal(nameOfUserAgent("Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com)"), "ExampleBot");
});
