// The examples, on a site on the loopback address.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { CrawlRobots } from "robots-policy/crawlee";
import { headOf } from "../examples/stream.mjs";

const requests = [];
const PAGES = {
  "/": `<title>start</title><a href=/a>a</a><a href=/private>private</a><a href=/nofollow>nofollow</a>`,
  "/a": `<title>a</title><meta name=robots content=noindex>`,
  "/nofollow": `<title>nofollow</title><a href=/hidden>hidden</a>`,
  "/hidden": "<title>hidden</title>",
  "/private": "<title>private</title>",
};
let status = 200;
const servers = [];
/** Starts a server on the loopback address, and returns its address. */
const listen = async (answer) => {
  const server = createServer(answer);
  servers.push(server);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server.address();
};
let site;
before(async () => {
  const { port } = await listen(answer);
  site = `http://127.0.0.1:${port}/`;
});
after(() => servers.forEach((server) => server.close()));

function answer(request, response) {
  requests.push({ path: request.url, agent: request.headers["user-agent"], time: Date.now() });
  if (request.url === "/robots.txt") {
    response.writeHead(status, { "Content-Type": "text/plain" });
    response.end("User-agent: *\nDisallow: /private\nCrawl-delay: 0.3\n");
    return;
  }
  if (request.url === "/nofollow") response.setHeader("X-Robots-Tag", "nofollow");
  response.setHeader("Content-Type", "text/html");
  response.end(PAGES[request.url] ?? "");
}

test("crawlee honours robots.txt, META tags, headers and Crawl-delay", async () => {
  requests.length = 0;
  const example = new URL("../examples/crawlee.mjs", import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, [example, site], { env: { ...process.env, CRAWLEE_LOG_LEVEL: "OFF" } });
  const pages = requests.filter(({ path }) => path !== "/robots.txt");
  assert.deepEqual(pages.map(({ path }) => path).sort(), ["/", "/a", "/nofollow"]);
  assert.equal(requests.filter(({ path, agent }) => path === "/robots.txt" && agent === "ExampleBot").length, 1);
  assert.match(stdout, /\/a: index no, follow yes/);
  assert.match(stdout, /\/nofollow: index yes, follow no/);
  assert.match(stdout, /\/private is not to be fetched \(disallow\): Disallow: \/private/);
});

test("the hooks wait for Crawl-delay, and do not retry what is disallowed", async () => {
  const robots = new CrawlRobots("ExampleBot");
  const [hook] = robots.preNavigationHooks;
  const start = Date.now();
  await Promise.all(["", "a", "b"].map((path) => hook({ request: { url: site + path } })));
  // Timers may be a millisecond early.
  assert(Date.now() - start >= 595);
  const request = { url: `${site}private` };
  await assert.rejects(hook({ request }), { code: "disallowed" });
  assert.equal(request.noRetry, true);
});

test("the hooks follow the outcome of the request for robots.txt", async () => {
  for (const [answer, expected] of [[404, undefined], [503, "disallowed"]]) {
    status = answer;
    const [hook] = new CrawlRobots("ExampleBot").preNavigationHooks;
    const asked = hook({ request: { url: `${site}private` } }).catch((error) => error.code);
    assert.equal(await asked, expected, String(answer));
  }
  status = 200;
  const [hook] = new CrawlRobots("ExampleBot", { fetch: () => Promise.reject(new TypeError("fetch failed")) }).preNavigationHooks;
  await assert.rejects(hook({ request: { url: site } }), { code: "disallowed" });
});

test("too many redirects are no robots.txt, and a host that is named so is unreachable", async () => {
  const { port } = await listen((request, response) => response.writeHead(302, { Location: request.url }).end());
  const [hook] = new CrawlRobots("ExampleBot").preNavigationHooks;
  await hook({ request: { url: `http://127.0.0.1:${port}/` } });
  for (const message of ["getaddrinfo ENOTFOUND redirect.invalid", "redirect count exceeded.invalid"]) {
    const fetch = () => Promise.reject(new TypeError("fetch failed", { cause: new Error(message) }));
    const [other] = new CrawlRobots("ExampleBot", { fetch }).preNavigationHooks;
    await assert.rejects(other({ request: { url: "http://redirect.invalid/" } }), { code: "disallowed" });
  }
  const fetch = () => Promise.reject(undefined);
  await assert.rejects(new CrawlRobots("ExampleBot", { fetch }).preNavigationHooks[0]({ request: { url: site } }), { code: "disallowed" });
});

test("after a failure, robots.txt is requested again after a pause that doubles up to an hour", async (context) => {
  context.mock.timers.enable({ apis: ["Date"], now: Date.parse("2026-01-01T00:00:00.5Z") });
  let asked = 0;
  let answer = 503;
  const fetch = async () => {
    asked += 1;
    return answer === 0 ? Promise.reject(new TypeError("fetch failed")) : new Response("", { status: answer });
  };
  const [hook] = new CrawlRobots("ExampleBot", { fetch }).preNavigationHooks;
  const ask = (expected) =>
    Promise.all(Array.from({ length: 20 }, async () => {
      const outcome = await hook({ request: { url: "http://a.example/" } }).then(() => undefined, (error) => error.code);
      assert.equal(outcome, expected);
    }));
  await ask("disallowed");
  let requests = 1;
  for (const minutes of [1, 2, 4, 8, 16, 32, 60, 60]) {
    context.mock.timers.tick(minutes * 60_000 - 1);
    await ask("disallowed");
    assert.equal(asked, requests);
    context.mock.timers.tick(1);
    answer = minutes % 4 === 0 ? 0 : 503;
    await ask("disallowed");
    requests += 1;
    assert.equal(asked, requests, `${minutes} minutes`);
  }
  // An answer ends the pauses, and is kept for hours.
  answer = 200;
  context.mock.timers.tick(3_600_000);
  await ask(undefined);
  context.mock.timers.tick(3_600_000);
  await ask(undefined);
  assert.equal(asked, requests + 1);
});

test("a longer Retry-After counts, up to a week", async (context) => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  const week = 604_800;
  for (const [value, seconds, date] of [
    ["500", 500], ["10", 60], ["x", 60], ["-500", 60], ["2050", 2050], ["9".repeat(400), week], [String(week), week], [String(week - 1), week - 1],
    ["Thu, 01 Jan 2026 00:01:30 GMT", 90], ["Wed, 31 Dec 2025 00:00:00 GMT", 60], ["Fri, 01 Jan 2027 00:00:00 GMT", week],
    // By the clock of the server.
    ["Sat, 01 Jan 2028 00:01:30 GMT", 90, "Sat, 01 Jan 2028 00:00:00 GMT"], ["Thu, 01 Jan 2026 00:01:30 GMT", 90, "x"],
  ]) {
    context.mock.timers.enable({ apis: ["Date"], now });
    let asked = 0;
    const fetch = async () => {
      asked += 1;
      return new Response("", { status: 503, headers: { "Retry-After": value, ...(date && { Date: date }) } });
    };
    const [hook] = new CrawlRobots("ExampleBot", { fetch }).preNavigationHooks;
    const ask = () => assert.rejects(hook({ request: { url: "http://a.example/" } }), { code: "disallowed" });
    await ask();
    context.mock.timers.tick(seconds * 1000 - 1);
    await ask();
    assert.equal(asked, 1, value);
    context.mock.timers.tick(1);
    await ask();
    assert.equal(asked, 2, value);
    context.mock.timers.reset();
  }
});

test("a robots.txt is used as long as its headers allow, and at least ten minutes", async (context) => {
  const hour = 3600;
  for (const [headers, seconds, profile] of [
    [{}, 24 * hour],
    [{ "Cache-Control": "public, Max-Age=7200" }, 2 * hour],
    [{ "Cache-Control": "max-age=7200, s-maxage=3600" }, hour],
    [{ "Cache-Control": "private, max-age=7200, s-maxage=3600" }, 2 * hour],
    [{ "Cache-Control": "private, s-maxage=7200" }, 600],
    [{ "Cache-Control": "max-age=7200", Age: "3600" }, hour],
    [{ "Cache-Control": "max-age=7200", Vary: "*" }, 600],
    [{ Vary: "*" }, 24 * hour],
    [{ "Cache-Control": "max-age=7200", Pragma: "no-cache" }, 2 * hour],
    [{ Pragma: "no-cache" }, 600],
    [{ "Cache-Control": `max-age=${"9".repeat(400)}` }, 24 * hour],
    [{ "Cache-Control": `max-age=${"9".repeat(400)}` }, 30 * 24 * hour, "google"],
    [{ "Cache-Control": "no-store" }, 600],
    [{ Expires: "Fri, 15 Jan 2027 10:00:00 GMT", Date: "Fri, 15 Jan 2027 08:00:00 GMT" }, 2 * hour],
    [{ Expires: "0" }, 600],
    [{ "Cache-Control": " no-transform , max-age = 7200" }, 2 * hour],
    [{ Expires: "Fri Jan 15 10:00:00 2027", Date: "Fri Jan 15 08:00:00 2027" }, 2 * hour],
  ]) {
    const name = JSON.stringify(headers).slice(0, 80);
    context.mock.timers.enable({ apis: ["Date"], now: Date.parse("2027-01-15T08:00:00.5Z") });
    let asked = 0;
    const fetch = async () => {
      asked += 1;
      return new Response("", { headers });
    };
    const [hook] = new CrawlRobots("ExampleBot", { fetch, ...(profile && { profile }) }).preNavigationHooks;
    const ask = () => hook({ request: { url: "http://a.example/" } });
    await ask();
    // To the end of the last second.
    context.mock.timers.tick(seconds * 1000 + 499);
    await ask();
    assert.equal(asked, 1, name);
    context.mock.timers.tick(1);
    await ask();
    assert.equal(asked, 2, name);
    context.mock.timers.reset();
  }
});

test("options of the hooks are checked, and the response of a browser is refused", async () => {
  for (const value of [NaN, -1, Infinity, "30", null]) {
    for (const name of ["maxDelay", "timeout"]) {
      assert.throws(() => new CrawlRobots("ExampleBot", { [name]: value }), { code: "invalid_argument", message: new RegExp(name) });
    }
  }
  for (const timeout of [0, 0.5, 2 ** 31 / 1000]) assert.throws(() => new CrawlRobots("ExampleBot", { timeout }), { code: "invalid_argument" });
  const robots = new CrawlRobots("ExampleBot", { maxDelay: 0, timeout: 1.0005, fetch: async () => new Response("User-agent: *\nCrawl-delay: 9\n") });
  const request = { url: "https://a.example/" };
  await robots.preNavigationHooks[0]({ request });
  await robots.preNavigationHooks[0]({ request });
  const response = { status: () => 200, headers: () => ({ "x-robots-tag": "noindex" }) };
  assert.throws(() => robots.decide({ request, response }), { code: "invalid_argument", message: /browser/ });
  // Two lines of a header are two lines.
  const lines = { statusCode: 200, rawHeaders: ["X-Robots-Tag", "otherbot: noindex", "X-Robots-Tag", "nofollow"] };
  assert.equal(robots.decide({ request, response: lines, body: "" }).follow, "no");
});

test("a line of robots.txt that the limit cuts does not count", async () => {
  const start = "User-agent: *\nDisallow: /a\n#";
  const last = "\nDisallow: /";
  const body = `${start}${" ".repeat((16 << 20) - start.length - last.length)}${last}private\n`;
  const [hook] = new CrawlRobots("ExampleBot", { profile: "google", fetch: async () => new Response(body) }).preNavigationHooks;
  await hook({ request: { url: "https://a.example/b" } });
  await assert.rejects(hook({ request: { url: "https://a.example/a" } }), { code: "disallowed" });
});

test("a stream is read to the end of its HEAD", async () => {
  let sent = 0;
  async function* stream() {
    for (const chunk of ["<title>a", "</title><meta name=robots content=none>", "<body>", "the", "rest"]) {
      sent += 1;
      yield Buffer.from(chunk);
    }
  }
  const { title, metas } = await headOf(stream(), { charset: "utf-8" });
  assert.deepEqual([title, metas.length, sent], ["a", 1, 3]);
});

test("a worker decides", async () => {
  // As a bundler does it: the imports are those of this package, and the module is compiled.
  const source = readFileSync(new URL("../examples/worker.mjs", import.meta.url), "utf8")
    .replace('"robots-policy/web"', JSON.stringify(import.meta.resolve("robots-policy/web")))
    .replace(/import module from "(.*)";/, (_, name) => {
      const file = new URL(import.meta.resolve(name)).pathname;
      return `import { readFileSync } from "node:fs";\nconst module = new WebAssembly.Module(readFileSync(${JSON.stringify(file)}));`;
    });
  const { default: worker } = await import(`data:text/javascript,${encodeURIComponent(source)}`);
  const ask = async (path) => (await worker.fetch(new Request(`https://worker.example/?robot=ExampleBot&url=${site}${path}`))).json();
  assert.equal((await ask("private")).fetch, "disallow");
  const decision = await ask("a");
  assert.deepEqual([decision.fetch, decision.index, decision.follow], ["allow", "no", "yes"]);
});
