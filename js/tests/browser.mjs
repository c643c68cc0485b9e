// A page with the browser entry in Chromium: node tests/browser.mjs (`.ci/js` prepares it).
//
// Needs playwright-core of tests/checker, and Chromium: /usr/bin/chromium, or the path in the variable CHROMIUM.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";

const { chromium } = createRequire(new URL("../../tests/checker/package.json", import.meta.url))("playwright-core");
const folder = new URL("../dist/", import.meta.url);
const PAGE = `<!doctype html><script type=importmap>{"imports": {"robots-policy/web": "/esm/web.js", "robots-policy/txt/web": "/esm/txt-web.js"}}</script>
<script type=module>
import { init, Policy, RobotsError, RobotsTxt } from "robots-policy/web";
try { RobotsTxt.parse(""); } catch (error) { document.body.dataset.before = error.code; }
await init(fetch("/robots.wasm"));
const policy = new Policy("Googlebot");
policy.learn(location.href, { body: "User-agent: *\\nDisallow: /x\\n" });
const { fetch: may, index } = policy.decide(new URL("/a", location), "<meta name=robots content=noindex>");
document.body.dataset.decision = may + " " + index;
</script><body>`;
const TYPES = { js: "text/javascript", wasm: "application/wasm" };
const server = createServer((request, response) => {
  // Nothing is evaluated: a page may forbid it, and allow WebAssembly alone.
  response.setHeader("Content-Security-Policy", "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'");
  const type = TYPES[request.url.split(".").at(-1)];
  response.setHeader("Content-Type", type ?? "text/html");
  if (request.url === "/favicon.ico") response.statusCode = 404;
  response.end(type === undefined ? PAGE : readFileSync(new URL(`.${request.url}`, folder)));
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const page = await browser.newPage();
page.on("pageerror", (error) => console.log(error));
await page.goto(`http://127.0.0.1:${server.address().port}/`);
await page.waitForSelector("body[data-decision]", { state: "attached" });
assert.deepEqual(await page.evaluate(() => ({ ...document.body.dataset })), { before: "not_ready", decision: "allow no" });
await browser.close();
server.close();
console.log("a page decides in Chromium");
