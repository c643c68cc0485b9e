// The questions about robots.txt of the conformance set.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

export const tests = new URL("../../tests/", import.meta.url);
export const text = (name) => readFileSync(new URL(name, tests), "utf8");
export const rows = (lines) => lines.split("\n").filter(Boolean).map((line) => JSON.parse(line));
export const manifest = JSON.parse(text("conformance/manifest.json")).files;

/** Expands `{pad:N}`: a comment that fills the file up to N bytes. */
function padded(file) {
  const mark = /\{pad:(\d+)\}/.exec(file);
  if (mark === null) return file;
  const before = file.slice(0, mark.index);
  const size = Number(mark[1]) - 1 - Buffer.byteLength(before);
  return `${before}${"#".repeat(size)}\n${padded(file.slice(mark.index + mark[0].length))}`;
}

/** Asks each question of a class `RobotsTxt`. */
export function askAll(Parser) {
  let asked = 0;
  const questions = rows(text("conformance/robots.jsonl"));
  for (const row of questions) {
    // Switches of a dialect are for Rust.
    if (row.dialect.includes("+")) continue;
    const file = Parser.parse(padded(row.robots), row.robots_url === undefined ? undefined : { url: row.robots_url });
    const rules = file.rules({ names: row.agents, obeysStar: row.star }, { dialect: row.dialect });
    if ("crawl_delay" in row) {
      assert.equal(rules.crawlDelay, row.crawl_delay, row.id);
    } else {
      assert.equal(rules.allowed(row.url), row.allowed, row.id);
      const verdict = rules.verdict(row.url);
      assert.equal(verdict.allowed, row.allowed, row.id);
      if (row.line !== undefined) assert.equal(verdict.line ?? 0, row.line, row.id);
    }
    asked += 1;
    rules.dispose();
    file.dispose();
  }
  assert.equal(questions.length, manifest["robots.jsonl"]);
  assert(asked > questions.length * 0.99);
}
