// Every vector of the project's tests, asked in JavaScript.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { HeadReader, Policy, profiles, readHead, RobotsTxt } from "robots-policy";
import { askAll, manifest, rows, tests, text } from "./questions.mjs";

const first = Object.fromEntries(profiles().map(({ name, agent }) => [name, agent]));

test("questions about robots.txt", () => askAll(RobotsTxt));

test("answers of google/robotstxt", () => {
  let asked = 0;
  for (const row of rows(gunzipSync(readFileSync(new URL("conformance/google.jsonl.gz", tests))).toString())) {
    const file = RobotsTxt.parse(row.body ?? Buffer.from(row.body_base64, "base64"));
    for (const { agent, url, allowed, line } of row.ask) {
      const verdict = file.rules({ names: [agent] }, { dialect: "google" }).verdict(url);
      assert.deepEqual([verdict.allowed, verdict.line ?? 0], [allowed, line], `${row.name}: ${agent} ${url}`);
      asked += 1;
    }
  }
  assert.equal(asked, 6798);
});

/** Writes a table of a profile as TOML: `ai` and texts. */
function toml(value) {
  if (Array.isArray(value)) return `[${value.map(toml).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  return `{ ${Object.entries(value).map(([key, item]) => `${key} = ${toml(item)}`).join(", ")} }`;
}

const moment = (time) => (time === undefined ? null : new Date(time));

function decision(row) {
  // A case without a profile is decided under that of the robot's operator.
  const own = () => new Policy(row.agent ?? "*").profile;
  const agent = row.agent ?? first[row.profile ?? "neutral"];
  const changed = Object.entries(row.with ?? {});
  let options = row.profile === undefined ? {} : { profile: row.profile };
  if (changed.length > 0) {
    const lines = [["based-on", row.profile ?? own()], ...changed].map(([key, value]) => `${key} = ${toml(value)}`);
    options = { profileToml: lines.join("\n") };
  }
  const policy = new Policy(agent, options);
  const site = "https://example.com/";
  if (row.robots !== undefined) policy.learn(site, { body: row.robots, at: null });
  for (const { at, redirects, fresh_for, content_type, ...response } of row.requests ?? []) {
    const outcome = { ...response, at: moment(at) };
    if (fresh_for !== undefined) outcome.freshFor = Number(/^(\d+)d$/.exec(fresh_for)[1]) * 86_400;
    if (content_type !== undefined) outcome.contentType = content_type;
    if (redirects > 5) policy.learn(site, { outcome: "too_many_redirects", at: outcome.at });
    else if (outcome.body === undefined && outcome.status === undefined) policy.learn(site, { outcome: "unreachable", at: outcome.at });
    else policy.learn(site, { ...outcome, body: outcome.body ?? "" });
  }
  if (row.tdmrep !== undefined) policy.learnTdmrep(site, row.tdmrep);
  const url = row.url ?? "https://example.com/page";
  const at = moment(row.now);
  if (!row.fetched) return policy.decide(url, null, { at });
  const headers = (row.headers ?? []).map((line) => /^(.*?): (.*)$/s.exec(line).slice(1));
  const licenses = row.rsl === undefined ? {} : { "https://example.com/license.xml": row.rsl };
  const response = { status: row.status ?? 200, headers, at, licenses };
  return row.html === undefined
    ? policy.decide(url, null, { ...response, notHtml: true })
    : policy.decide(url, Buffer.from(row.html), response);
}

/** Returns the reasons of a field as in cases, which are read from the explanation. */
function reasons(decided, field) {
  const expected = decided.reasonsFor(field);
  const section = decided.explain().split(/\n  (?=[a-z])/).find((part) => part.startsWith(`${field} `)) ?? "";
  const lines = section.trimEnd().split("\n    ").slice(1).map((line) => /^(\w+)\s+(.*)$/s.exec(line));
  assert.equal(lines.length, expected.length, section);
  return lines.map(([, effect, line], index) => {
    const { text: said } = expected[index];
    assert(line.endsWith(`: ${said}`), line);
    return `${effect}: ${said} (${line.slice(0, -said.length - 2)})`;
  });
}

test("decisions about pages", () => {
  const questions = rows(text("conformance/pages.jsonl"));
  let asked = 0;
  for (const row of questions) {
    // Rust can name a robot that has no valid name.
    if (row.agent?.includes("/")) continue;
    const decided = decision(row);
    const json = decided.toJSON();
    for (const [field, expected] of Object.entries(row.expect)) {
      const found = field === "warnings" ? json.warnings.map(({ kind }) => kind)
        : field === "line" ? decided.reasonsFor("fetch").find(({ source }) => source === "robots_txt")?.line ?? 0
        : field.startsWith("reasons.") ? reasons(decided, field.slice(8))
        : json[field] ?? "none";
      assert.deepEqual(found, expected ?? "none", `${row.name}: ${field}`);
    }
    asked += 1;
  }
  assert.equal(questions.length, manifest["pages.jsonl"]);
  assert(asked > questions.length - 3);
});

test("heads", () => {
  const folder = new URL("heads/", tests);
  const names = readdirSync(folder);
  for (const name of names) {
    const page = readFileSync(new URL(name, folder));
    const whole = readHead(page);
    for (const size of [1, 2, 7, 1024]) {
      const reader = new HeadReader();
      for (let start = 0; start < page.length; start += size) {
        if (reader.feed(page.subarray(start, start + size))) break;
      }
      assert.deepEqual(reader.finish(), whole, `${name} in chunks of ${size}`);
    }
    for (const meta of whole.metas) {
      const tag = page.subarray(meta.offset, meta.offset + 5).toString("latin1").toLowerCase();
      assert(tag === "<meta" || tag.includes("\0"), name);
    }
  }
  assert.equal(names.length, 45);
});

// The program of the variable, or that of target/debug, reads the same heads. `.ci/js` builds it.
const program = process.env.ROBOTS_PROGRAM ?? new URL("../../target/debug/robots", import.meta.url).pathname;
test("heads as the program reads them", { skip: !process.env.ROBOTS_PROGRAM && !existsSync(program) && "the program is not built" }, () => {
  const folder = new URL("heads/", tests);
  for (const name of readdirSync(folder)) {
    const file = new URL(name, folder).pathname;
    const expected = JSON.parse(execFileSync(program, ["meta", "--json", "--all", file]));
    const found = readHead(readFileSync(file));
    assert.deepEqual(
      [found.title, found.canonical, found.encoding, found.consumed, found.end],
      [expected.title, expected.canonical, expected.encoding, expected.consumed, expected.head_end],
      name,
    );
    const metas = expected.metas.map(({ offset, attributes }) => [offset, Object.fromEntries(attributes)]);
    assert.deepEqual(found.metas.map(({ offset, attributes }) => [offset, attributes]), metas, name);
  }
});
