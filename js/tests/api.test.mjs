// The interface in JavaScript: values, errors for bad input, and memory.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { Engine } from "../dist/esm/engine.js";
import {
  Decision, HeadReader, lintPage, lintRobotsTxt, nameOfUserAgent, Policy, profiles, readHead, robots, RobotsError, RobotsTxt, Rules,
} from "robots-policy";
import robotsParser from "robots-policy/robots-parser";

const FILE = "User-agent: *\nDisallow: /private\nCrawl-delay: 2\nRequest-rate: 1/10 0800-1600\nSitemap: https://example.com/s.xml\n";
const code = (expected) => (error) => {
  assert(error instanceof RobotsError, String(error));
  assert.equal(error.code, expected, error.message);
  return true;
};

test("rules and verdicts", () => {
  const file = RobotsTxt.parse(FILE);
  const rules = file.rules("ExampleBot");
  assert.equal(rules.allowed("https://example.com/private/a"), false);
  assert.equal(rules.allowed(new URL("https://example.com/")), true);
  assert.equal(rules.allowed(Buffer.from("/private")), false);
  const verdict = rules.verdict("/private");
  assert.deepEqual([verdict.line, verdict.text, verdict.group, verdict.rule.agentLine], [2, "Disallow: /private", "*", 1]);
  assert.equal(verdict.explanation, "disallowed by line 2: Disallow: /private (group of *)");
  assert.deepEqual([rules.crawlDelay, rules.requestRates[0].interval, rules.hasGroup], [2, 10, true]);
  assert.deepEqual(file.sitemaps, ["https://example.com/s.xml"]);
  assert.equal(file.lineText(2), "Disallow: /private");
  assert.equal(file.lineText(9), null);
  assert.equal(rules.matching("/private")[0].line, 2);
  assert.equal(rules.rules.length, 1);
  assert.equal(RobotsTxt.parse("<!doctype html>").looksLikeHtml, true);
});

test("differences", () => {
  const after = RobotsTxt.parse("User-agent: *\nDisallow: /tmp\n");
  const { changes, isComplete } = RobotsTxt.parse(FILE).diff(after, { robots: ["ExampleBot"] });
  assert.equal(isComplete, true);
  assert.deepEqual(changes.map(({ path, before, after: now }) => [path, before.allowed, now.allowed]).sort(),
    [["/private", false, true], ["/tmp", true, false]]);
});

test("decisions", () => {
  const policy = new Policy("Googlebot");
  assert.equal(policy.profile, "google");
  policy.learn("https://example.com/", { body: FILE, at: new Date("2026-01-01") });
  assert.equal(policy.knownOrigins, 1);
  assert(policy.askAgainAt("https://example.com/") instanceof Date);
  const page = "<meta name=robots content='noindex, unavailable_after: 2030-01-01'>";
  for (const headers of [new Headers({ "X-Robots-Tag": "nofollow" }), { "x-robots-tag": ["nofollow"] }, [["X-Robots-Tag", "nofollow"]]]) {
    const decision = policy.decide("https://example.com/a", page, { status: 200, headers, at: Date.parse("2026-01-01T01:00:00Z") });
    assert.deepEqual([decision.mayFetch, decision.mayIndex, decision.mayFollow, decision.mayArchive], [true, false, false, true]);
    assert.equal(decision.expiresAt.toISOString(), "2030-01-01T00:00:00.000Z");
    assert.match(decision.explain(), /index +no/);
    assert.deepEqual(new Decision(JSON.stringify(decision)), decision);
  }
  // Lines that `Headers` joins are one, and its robot is that of the first.
  const lines = [["X-Robots-Tag", "otherbot: noindex"], ["X-Robots-Tag", "nofollow"]];
  const follow = [lines, { "x-robots-tag": lines.map(([, value]) => value) }, new Headers(lines)]
    .map((headers) => new Policy("ExampleBot").decide("https://example.com/a", "", { headers }).follow);
  assert.deepEqual(follow, ["no", "no", "unknown"]);
  // A control character hides no directive.
  const control = new Policy("ExampleBot").decide("https://example.com/a", "", { status: 200, headers: [["X-Robots-Tag", "noindex\0nofollow\v"]] });
  assert.deepEqual([control.index, control.follow], ["no", "no"]);
  // A server that fails forbids for now, and the clock decides when that ends.
  policy.learn("https://other.example/", { status: 503 });
  assert.equal(policy.decide("https://other.example/").mayFetch, false);
  policy.forget("https://other.example/");
  assert.equal(policy.decide("https://other.example/").fetch, "unknown");
});

test("heads, findings and lists", () => {
  const reader = new HeadReader();
  assert.equal(reader.feed("<title>\ud83d"), false);
  assert.equal(reader.feed("\ude00</title><meta name=robots content=none><body>"), true);
  assert.equal(reader.done, true);
  const facts = reader.finish();
  const cut = new HeadReader();
  assert.equal(cut.feed("<title>a</title><body>hi \ud83d"), true);
  assert.equal(cut.finish().title, "a");
  const waiting = new HeadReader();
  assert.equal(waiting.feed("<title>a \ud83d"), false);
  assert.throws(() => waiting.finish(), code("invalid_argument"));
  assert.deepEqual([new HeadReader({ charset: "windows-1252" }).finish().encoding, new HeadReader().finish().end.by], ["windows-1252", "end_of_page"]);
  assert.equal(facts.title, "😀");
  assert.deepEqual(facts.metas[0].directives, [{ text: "none", offset: 0, kind: "flags", value: "noindex, nofollow" }]);
  assert.equal(readHead("<body><meta name=robots content=none>", { document: true }).metas.length, 1);
  assert.equal(lintRobotsTxt("User-agent: *\nDisalow: /a\n")[0].line, 2);
  assert.equal(lintPage("<meta name=robots content=noindx>")[0].severity, "error");
  const found = (value) => lintPage("", { headers: [["X-Robots-Tag", value]], at: null });
  assert.deepEqual(found("noindex\vnofollw"), found("noindex nofollw"));
  assert(robots().some(({ token, metaNames }) => token === "Googlebot" && Array.isArray(metaNames)));
  assert.equal(profiles()[0].name, "neutral");
  assert.equal(nameOfUserAgent("Mozilla/5.0 (compatible; ExampleBot/1.0)"), "ExampleBot");
});

test("CommonJS has the same interface", () => {
  const require = createRequire(import.meta.url);
  const other = require("robots-policy");
  assert.equal(other.RobotsTxt.parse(FILE).rules("ExampleBot").allowed("/private"), false);
  const schema = require("robots-policy/decision.schema.json");
  const decision = new other.Policy("ExampleBot").decide("https://example.com/").toJSON();
  assert.deepEqual(schema.required.filter((name) => !(name in decision)), []);
  assert(Object.keys(decision).every((name) => name in schema.properties));
  const parser = require("robots-policy/robots-parser");
  assert.equal(parser("https://example.com/robots.txt", FILE).isAllowed("https://example.com/private", "a"), false);
  assert.equal(parser.default, parser);
  const file = RobotsTxt.parse(FILE);
  // Classes of another copy are other classes.
  assert.throws(() => file.diff(other.RobotsTxt.parse("")), code("invalid_argument"));
});

test("the drop-in for robots-parser", () => {
  const parser = robotsParser("https://example.com/robots.txt", `${FILE}Host: Example.com\n`);
  assert.deepEqual(
    [parser.isAllowed("https://example.com/private", "Bot/1.0"), parser.isDisallowed("https://example.com/private"),
      parser.isAllowed("https://example.com:443/"), parser.isAllowed("http://example.com/"), parser.isDisallowed("http://example.com/"),
      parser.getMatchingLineNumber("https://example.com/private"), parser.getMatchingLineNumber("https://example.com/"),
      parser.getCrawlDelay("a"), parser.getSitemaps(), parser.getPreferredHost()],
    [false, true, true, undefined, true, 2, -1, 2, ["https://example.com/s.xml"], "example.com"],
  );
  assert.equal(robotsParser("/robots.txt", FILE).isAllowed("/private"), false);
  assert.equal(robotsParser("/robots.txt", "").getPreferredHost(), null);
  // README.md lists these differences.
  const delay = (value) => robotsParser("/robots.txt", `User-agent: *\nCrawl-delay: ${value}\n`).getCrawlDelay("a");
  assert.deepEqual(["-1", "1e400", "2592001", "2592000", "0.5"].map(delay), [undefined, 2_592_000, 2_592_000, 2_592_000, 0.5]);
});

test("licences of RSL decide", () => {
  const policy = new Policy("ExampleBot");
  policy.learn("https://example.com/", { body: "License: https://example.com/license.xml" });
  const license = '<rsl><content url="/"><license><permits type="usage">search</permits></license></content></rsl>';
  const decide = (licenses) => policy.decide("https://example.com/x", "<p>", { licenses });
  assert.equal(decide({ "https://example.com/license.xml": license }).aiTrain, "disallow");
  assert.equal(decide({ "https://example.com/other.xml": license }).aiTrain, "unknown");
  const [reason] = decide({ "https://example.com/license.xml": license }).reasonsFor("ai_train");
  assert.deepEqual([reason.source, reason.line], ["rsl", 1]);
  assert.throws(() => decide({ "/license.xml": license }), { code: "invalid_url" });
  assert.throws(() => decide("x"), { code: "invalid_argument" });
});

test("bad input is an error of JavaScript", () => {
  const file = RobotsTxt.parse(FILE);
  const rules = file.rules("ExampleBot");
  const policy = new Policy("ExampleBot");
  const detached = new Uint8Array(8);
  structuredClone(detached, { transfer: [detached.buffer] });
  const wrong = [undefined, null, 1, 1n, true, {}, [], Symbol("a"), () => 1, new Date(), new Uint16Array(2), new ArrayBuffer(2), detached, "\ud800", "a\udc00b"];
  for (const value of wrong) {
    const isMissing = value === undefined || value === null;
    for (const call of [
      () => RobotsTxt.parse(value), () => rules.allowed(value), () => rules.verdict(value), () => rules.matching(value),
      () => file.rules(value), () => file.diff(value), () => file.lineText(value === 1 ? "1" : value),
      () => new Policy(value), () => policy.decide(value), () => policy.learn("https://a.example/", value),
      () => policy.learnTdmrep("https://a.example/", value), () => policy.forget(value), () => policy.askAgainAt(value),
      () => readHead(value), () => {
        const reader = new HeadReader();
        reader.feed(value);
        reader.finish();
      }, () => lintRobotsTxt(value), () => lintPage(value), () => nameOfUserAgent(value),
      ...(isMissing ? [] : [
        () => policy.decide("https://a.example/", value), () => policy.learn("https://a.example/", { body: value }),
        () => new Policy("a", { profile: value }), () => new Policy("a", { profileToml: value }), () => file.rules("a", { dialect: value }),
        () => policy.decide("https://a.example/", "", { headers: value === "\ud800" || typeof value === "object" ? [value] : value }),
        () => policy.decide("https://a.example/", "", { status: value === 1 ? 1.5 : value }),
        () => policy.decide("https://a.example/", "", { at: value === 1 || value instanceof Date ? NaN : value }),
        () => policy.learn("https://a.example/", { body: "", freshFor: value === 1 ? Infinity : value }),
      ]),
    ]) {
      assert.throws(call, (error) => error instanceof RobotsError, `${String(call)} of ${typeof value} ${wrong.indexOf(value)}`);
    }
  }
  for (const call of [() => file.rules("Mozilla/5.0 (x)"), () => new Policy("Mozilla/5.0 (x)")]) {
    assert.throws(call, { code: "invalid_robot", message: /^unexpected character '\/' at byte 7 .* pass the name alone$/ });
  }
  assert.throws(() => file.rules({ names: ["a"], obeysStar: "false" }), code("invalid_argument"));
  const circular = {};
  circular.self = circular;
  for (const value of [undefined, null, "", "nope", "{}", "1", '{"version": 1}', '{"version": 2, "reasons": [], "warnings": []}', {}, 1n, circular]) {
    assert.throws(() => new Decision(value), code("invalid_argument"));
  }
  assert.throws(() => file.rules({ names: [] }), code("invalid_robot"));
  assert.throws(() => file.rules("a", { dialect: "gogle" }), code("invalid_dialect"));
  assert.throws(() => file.rules("a", { profile: "gogle" }), code("invalid_profile"));
  assert.throws(() => file.rules("a", { dialct: "google" }), code("invalid_argument"));
  assert.throws(() => new Policy("a", { profileToml: "x = " }), code("invalid_profile"));
  assert.throws(() => policy.learn("mailto:a@example.com", { status: 404 }), code("invalid_url"));
  assert.throws(() => policy.learn("https://a.example/", {}), code("invalid_argument"));
  assert.throws(() => policy.decide("https://a.example/", "", { charset: "utf-8" }), code("invalid_argument"));
  assert.throws(() => policy.decide("https://a.example/", "", { notHtml: true }), code("invalid_argument"));
  assert.throws(() => new Rules(), code("invalid_argument"));
  assert.throws(() => readHead(new Uint8Array((64 << 20) + 1)), code("too_large"));
  const reader = new HeadReader();
  reader.feed("<title>");
  assert.throws(() => reader.feed(Buffer.from("a")), code("invalid_argument"));
  // NUL and large inputs are input like any other.
  assert.equal(rules.allowed("/\0"), true);
  assert.equal(rules.allowed(`/private${"é\0".repeat(1 << 20)}`), false);
  assert.throws(() => readHead("é".repeat(33 << 20)), code("too_large"));
  assert.equal(policy.decide("\0").url, "\0");
});

test("views of buffers that change their size", () => {
  const buffer = new ArrayBuffer(8, { maxByteLength: 16 });
  const [fixed, tracking, empty] = [new Uint8Array(buffer, 4, 4), new Uint8Array(buffer, 4), new Uint8Array(buffer, 8)];
  assert.deepEqual([fixed, tracking, empty].map((view) => RobotsTxt.parse(view).body.length), [4, 4, 0]);
  buffer.resize(16);
  assert.deepEqual([fixed, tracking, empty].map((view) => RobotsTxt.parse(view).body.length), [4, 12, 8]);
  buffer.resize(4);
  assert.deepEqual([tracking].map((view) => RobotsTxt.parse(view).body.length), [0]);
  for (const view of [fixed, empty]) assert.throws(() => RobotsTxt.parse(view), code("invalid_argument"));
  assert.equal(RobotsTxt.parse(FILE).rules("a").allowed("/private"), false);
});

test("init takes the module alone", async () => {
  const { init } = await import("robots-policy/web");
  const other = Buffer.from("0061736d01000000", "hex");
  for (const [value, expected] of [
    [undefined, "invalid_argument"], ["robots.wasm", "invalid_argument"], [{}, "invalid_argument"], [new Uint8Array(), "not_ready"],
    [Buffer.from("nope"), "not_ready"], [other, "not_ready"], [new WebAssembly.Module(other), "not_ready"],
    [new Response("", { status: 404 }), "not_ready"], [Promise.resolve(new Response("<!doctype html>")), "not_ready"],
  ]) {
    await assert.rejects(init(value), code(expected));
  }
  const module = readFileSync(new URL("../dist/robots.wasm", import.meta.url));
  for (const value of [module, module.buffer.slice(module.byteOffset, module.byteOffset + module.length), new Response(module)]) await init(value);
});

test("after the end of the stack in a call, new objects can be used", () => {
  const ends = new Set();
  const dive = () => {
    try {
      dive();
    } catch {
      // Each call has one frame less above it than the one before.
    }
    if (ends.has("none")) return;
    try {
      lintRobotsTxt(FILE);
      ends.add("none");
    } catch (error) {
      ends.add(error.code ?? error.name);
      throw error;
    }
  };
  dive();
  // It is in the engine rarely, which is then replaced.
  ends.delete("poisoned");
  assert.deepEqual([...ends], ["RangeError", "none"]);
  assert.equal(RobotsTxt.parse(FILE).rules("a").allowed("/private"), false);
});

test("a line that the limit of 16 MiB cuts does not count, in strings as in bytes", () => {
  const most = 16 << 20;
  const start = "User-agent: *\nDisallow: /a\n";
  const end = "Disallow: /private\n";
  for (const letter of ["#", "é"]) {
    const size = Buffer.byteLength(letter);
    // The limit is after the first / of the last line.
    const padding = most - Buffer.byteLength(start) - "\nDisallow: /".length;
    const file = `${start}${letter.repeat(Math.floor(padding / size))}${"#".repeat(padding % size)}\n${end}`;
    assert.equal(Buffer.from(file).subarray(0, most).toString().slice(-11), "Disallow: /");
    for (const body of [file, Buffer.from(file)]) {
      const parsed = RobotsTxt.parse(body);
      assert.equal(parsed.body.length, most - 11);
      const rules = parsed.rules("ExampleBot", { dialect: "google" });
      assert.deepEqual(["/b", "/a", "/private"].map((url) => rules.allowed(url)), [true, false, true]);
      const policy = new Policy("ExampleBot", { profile: "google" });
      policy.learn("https://a.example/", { body });
      assert.equal(policy.decide("https://a.example/b").fetch, "allow");
    }
    // A file of just the limit is whole.
    const whole = RobotsTxt.parse(Buffer.from(file).subarray(0, most));
    assert.equal(whole.rules("ExampleBot", { dialect: "google" }).allowed("/b"), false);
  }
  assert.equal(RobotsTxt.parse(new Uint8Array(17 << 20)).body.length, 0);
});

test("a disposed object cannot be used", () => {
  const file = RobotsTxt.parse(FILE);
  const rules = file.rules("a");
  file.dispose();
  file[Symbol.dispose]();
  assert.throws(() => file.sitemaps, code("disposed"));
  assert.throws(() => file.rules("a"), code("disposed"));
  assert.equal(rules.allowed("/private"), false);
  assert.equal(rules.crawlDelay, 2);
  rules.dispose();
  assert.throws(() => rules.allowed("/"), code("disposed"));
  const policy = new Policy("a");
  policy.dispose();
  assert.throws(() => policy.decide("https://a.example/"), code("disposed"));
  const reader = new HeadReader();
  reader.finish();
  assert.throws(() => reader.feed("a"), code("disposed"));
  assert.throws(() => reader.finish(), code("disposed"));
});

test("a trap poisons the engine, which says so", () => {
  const trap = () => {
    throw new WebAssembly.RuntimeError("unreachable");
  };
  const memory = new WebAssembly.Memory({ initial: 1 });
  const engine = new Engine({ memory, robots_interface: () => 1, robots_input: () => 8, robots_robots: trap, robots_rules_allowed: trap });
  assert.throws(() => engine.number("robots_robots", 0), code("poisoned"));
  assert.equal(engine.isPoisoned, true);
  for (const call of [() => engine.number("robots_rules_allowed", 1, undefined, "/"), () => engine.json("robots_robots", 0)]) {
    assert.throws(call, code("poisoned"));
  }
  assert.throws(() => new Engine({ memory }), code("not_ready"));
});

test("addresses past 2 GiB are read as such, and one outside of the memory poisons the engine", () => {
  // As of 3 GiB; its pages are not touched, and take no memory.
  const memory = new WebAssembly.Memory({ initial: 49_152 });
  let input = -(1 << 30) - (1 << 20);
  const output = input + (1 << 18);
  const echo = (_, args, body) => {
    const bytes = new Uint8Array(memory.buffer);
    bytes.copyWithin(output >>> 0, (input >>> 0) + args, (input >>> 0) + args + body);
    return body;
  };
  const allowed = (_, args, length) => Number(new Uint8Array(memory.buffer)[(input >>> 0) + length - 1] === 98);
  const exports = {
    memory, robots_interface: () => 1, robots_input: () => input, robots_output: () => output, robots_echo: echo, robots_rules_allowed: allowed,
  };
  const engine = new Engine(exports);
  assert.equal(engine.text("robots_echo", 0, { a: 1 }, "{é}"), "{é}");
  assert.deepEqual(engine.bytes("robots_echo", 0, undefined, Buffer.from("abc")), new Uint8Array([97, 98, 99]));
  assert.deepEqual(["/b", "/a"].map((url) => engine.allowed(1, url)), [true, false]);
  input = -8;
  for (const body of ["/a", Buffer.from("/a"), "é".repeat(3000)]) {
    const other = new Engine(exports);
    assert.throws(() => other.bytes("robots_echo", 0, undefined, body), code("poisoned"));
    assert.equal(other.isPoisoned, true);
  }
});

test("files and rules are made again after they were freed to save memory", () => {
  const padding = `#${" ".repeat(1 << 20)}\n`;
  const kept = [];
  for (let index = 0; index < 80; index += 1) {
    const file = RobotsTxt.parse(`User-agent: *\nDisallow: /${index}\n${padding}`);
    kept.push([file, file.rules("ExampleBot")]);
    if (index % 2) file.dispose();
  }
  kept.forEach(([file, rules], index) => {
    assert.equal(rules.allowed(`/${index}`), false);
    assert.equal(rules.allowed("/a"), true);
    if (index % 2 === 0) assert.equal(file.lineText(2), `Disallow: /${index}`);
  });
});
