// Measures this package beside robots-parser, cheerio and htmlparser2, as ratios: node bench/bench.mjs
//
// Each number is the least of several rounds, in which both take turns: other work on the machine slows rounds, not the least one.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { load } from "cheerio";
import { Parser } from "htmlparser2";
import robotsParser from "robots-parser";
import { Policy, RobotsTxt } from "robots-policy";

const ROUNDS = 25;

/** Returns the least microseconds of a call of each function. */
function least(...functions) {
  const best = functions.map(() => Infinity);
  const counts = functions.map((call) => {
    // Until it is compiled.
    for (let count = 0; count < 200; count += 1) call();
    const start = process.hrtime.bigint();
    for (let count = 0; count < 20; count += 1) call();
    const once = Number(process.hrtime.bigint() - start) / 20;
    return Math.max(1, Math.min(20_000, Math.ceil(2e6 / once)));
  });
  for (let round = 0; round < ROUNDS; round += 1) {
    functions.forEach((call, index) => {
      const start = process.hrtime.bigint();
      for (let count = counts[index]; count > 0; count -= 1) call();
      best[index] = Math.min(best[index], Number(process.hrtime.bigint() - start) / counts[index] / 1e3);
    });
  }
  return best;
}

function show(name, [ours, ...others], names) {
  const ratios = others.map((other, index) => `${names[index]} ${other.toFixed(2)} us: ${(other / ours).toFixed(1)} times`);
  console.log(`${name}: ${ours.toFixed(2)} us; ${ratios.join("; ")}`);
}

/** A file of about this size. */
function file(bytes) {
  const lines = ["User-agent: Googlebot", "Disallow: /search", "", "User-agent: *"];
  for (let size = 0, index = 0; size < bytes; index += 1) {
    const line = [`Disallow: /section-${index}/private/`, `Allow: /section-${index}/*.html$`, `Disallow: /*?session=${index}`][index % 3];
    lines.push(line);
    size += line.length + 1;
  }
  return lines.join("\n");
}

const urls = Array.from({ length: 50 }, (_, index) => `https://www.example.com/section-${index * 7}/articles/2026/11/page-${index}.html?id=${index}`);
for (const kilobytes of [1.4, 18, 118]) {
  const text = file(kilobytes * 1000);
  show(`parse ${kilobytes} KB`, least(
    () => RobotsTxt.parse(text).dispose(),
    () => robotsParser("https://www.example.com/robots.txt", text),
  ), ["robots-parser"]);
  const rules = RobotsTxt.parse(text).rules("ExampleBot");
  const theirs = robotsParser("https://www.example.com/robots.txt", text);
  const each = (call) => () => urls.forEach((url) => call(url));
  const times = least(each((url) => rules.allowed(url)), each((url) => theirs.isAllowed(url, "ExampleBot"))).map((time) => time / urls.length);
  show(`allowed, ${kilobytes} KB`, times, ["robots-parser"]);
}

/** A page of the median size, with a HEAD as sites have it, as bytes and as text. */
const head = `<!doctype html><html lang=en><head><meta charset=utf-8><title>A page</title>
<meta name=viewport content="width=device-width"><meta name=description content="A page about pages"><meta name=robots content="index, nofollow, max-snippet:50">
${Array.from({ length: 20 }, (_, index) => `<link rel=stylesheet href="/style-${index}.css"><meta property="og:tag" content="${index}">`).join("\n")}
<script>${"var a = 1 < 2;".repeat(600)}</script></head><body>`;
const html = head + Array.from({ length: 900 }, (_, index) => `<div class="row row-${index}"><a href="/page-${index}">A link</a> and <b>text</b> of a page</div>\n`).join("").padEnd(142_000 - head.length);
const page = Buffer.from(html);
const policy = new Policy("ExampleBot");
const google = new Policy("Googlebot");
policy.learn("https://www.example.com/", { body: file(1400) });

function metas(text) {
  const found = [];
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === "meta") found.push(attributes);
    },
  });
  parser.end(text);
  return found;
}

const decide = (input) => policy.decide("https://www.example.com/section-9/a", input, { status: 200 });
show(`decide, page of ${(page.length / 1000).toFixed(0)} KB in bytes`, least(
  () => decide(page),
  () => load(html)("meta").toArray().map((meta) => meta.attribs),
  () => metas(html),
), ["cheerio", "htmlparser2"]);
show("decide, the page as a string", least(() => decide(html), () => metas(html)), ["htmlparser2"]);

show("decide for Google, which reads BODY, too", least(() => google.decide("https://www.example.com/a", page, { status: 200 }), () => metas(html)), ["htmlparser2"]);

for (const name of ["robots.wasm", "txt.wasm"]) {
  const bytes = readFileSync(new URL(`../dist/${name}`, import.meta.url));
  const [start] = least(() => new WebAssembly.Instance(new WebAssembly.Module(bytes), {}));
  console.log(`${name}: ${bytes.length} bytes, ${gzipSync(bytes, { level: 9 }).length} with gzip; compile and instantiate ${(start / 1000).toFixed(1)} ms`);
}
