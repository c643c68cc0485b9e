// Asks `robots mcp` as an agent does: node check.mjs, with the program in the variable ROBOTS_PROGRAM. `npm ci` installs the client.
//
// The sites are servers on free ports of this machine. Nothing depends on time: a slow site answers when it is asked to.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import assert from "node:assert/strict";
import { createServer } from "node:http";

const ROBOTS = `User-agent: GPTBot
Disallow: /private/

User-agent: *
Allow: /
Disallow: /none
`;

/// Starts a site. `answer` returns status, headers and body of a path. Returns the URL, and the paths that were requested.
async function site(answer) {
  const requests = [];
  const server = createServer(async (request, response) => {
    requests.push(request.url);
    const [status, headers, body] = await answer(request.url);
    response.writeHead(status, headers).end(body);
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  return { url: `http://127.0.0.1:${server.address().port}`, requests, server };
}

/// Starts the program, and connects a client. Every line on its standard output must be a message.
async function connect(...settings) {
  const args = ["mcp", ...settings.flatMap((setting) => ["--set", setting])];
  const transport = new StdioClientTransport({ command: process.env.ROBOTS_PROGRAM, args, stderr: "pipe" });
  const client = new Client({ name: "check", version: "1" });
  const errors = [];
  client.onerror = (error) => errors.push(error);
  await client.connect(transport);
  // Then the client checks each value by the schema of its tool.
  const { tools } = await client.listTools();
  const call = async (name, args) => {
    const result = await client.callTool({ name, arguments: args });
    assert.deepEqual(errors, []);
    return { ...result, text: result.content.map((block) => block.text).join() };
  };
  /// Returns the text of a call that fails.
  const fail = async (name, args) => {
    const result = await call(name, args);
    assert.equal(result.isError, true, result.text);
    assert.equal(result.structuredContent, undefined);
    return result.text;
  };
  return { client, tools, call, fail };
}

const shop = await site((path) => {
  if (path === "/robots.txt") return [200, { "content-type": "text/plain" }, ROBOTS];
  if (path === "/moved") return [302, { location: "/new" }, ""];
  return [200, { "content-type": "text/html" }, '<meta name="robots" content="noindex"><title>x</title>'];
});
const failing = await site(() => [503, {}, ""]);
const old = await site((path) => (path === "/robots.txt" ? [301, { location: `${shop.url}/robots.txt` }, ""] : [404, {}, ""]));
let release;
const released = new Promise((resolve) => (release = resolve));
const slow = await site(async () => {
  await released;
  return [200, {}, "User-agent: *\nDisallow: /"];
});

const { client, tools, call, fail } = await connect("allow-private=true", "limits.urls=3", "limits.body-bytes=64KiB");

// What a client sees of the tools.
assert.equal(client.getServerVersion().name, "robots");
assert.match(client.getInstructions(), /may_fetch/);
assert.deepEqual(
  tools.map((tool) => tool.name),
  ["may_fetch", "why", "check_robots_txt", "lint_robots_txt", "block"],
);
for (const tool of tools) {
  assert.equal(tool.annotations.readOnlyHint, true);
  assert.equal(tool.inputSchema.additionalProperties, false);
  assert.equal(tool.outputSchema.type, "object");
  for (const property of Object.values(tool.inputSchema.properties)) assert.ok(property.description, tool.name);
}

// may_fetch: the line that decides.
let answer = await call("may_fetch", { url: `${shop.url}/private/x`, robot: "Mozilla/5.0 (compatible; GPTBot/1.2)" });
assert.equal(answer.text, `no: GPTBot may not fetch ${shop.url}/private/x: line 2 of robots.txt, disallow: /private/ (group of GPTBot)`);
assert.equal(answer.structuredContent.allowed, false);
assert.equal(answer.structuredContent.line, 2);
answer = await call("may_fetch", { url: `${shop.url}/private/x`, robot: "*" });
assert.match(answer.text, /^yes: .* line 5 of robots.txt, allow: \/ /);
assert.equal(answer.structuredContent.allowed, true);

// A failing robots.txt, and one that redirects.
answer = await call("may_fetch", { url: `${failing.url}/x`, robot: "GPTBot" });
assert.match(answer.text, /^no: GPTBot may not now fetch .*: robots.txt was answered with status 503$/);
assert.equal(answer.structuredContent.reason, "robots_txt_unreachable");
answer = await call("may_fetch", { url: `${old.url}/none`, robot: "SomeBot" });
assert.match(answer.text, /^no: .* line 6 of robots.txt, disallow: \/none /);

// why: a page with META tags, a redirect, a failure, and given texts.
answer = await call("why", { url: `${shop.url}/page`, robots: ["Googlebot"] });
assert.match(answer.text, /^Google may fetch this page, but not index it: the META in line 1, column 1 has `noindex`/);
assert.equal(answer.structuredContent.robots[0].answers.index, "no");
assert.ok(answer.structuredContent.robots[0].reasons.some((reason) => /^index: .*noindex/.test(reason)));
assert.ok(answer.structuredContent.changes.length > 0);
answer = await call("why", { url: `${shop.url}/moved`, robots: ["Googlebot"] });
assert.match(answer.text, /^This page redirects to .*\/new/);
assert.equal(answer.structuredContent.page.status, 302);
answer = await call("why", { url: `${failing.url}/x`, robots: ["Googlebot"] });
assert.equal(answer.structuredContent.robots_txt.status, 503);
assert.equal(answer.structuredContent.page.source, "none");
assert.ok(!failing.requests.includes("/x"));
answer = await call("why", { url: "https://example.com/x", robots_txt: "User-agent: *\nDisallow: /x" });
assert.match(answer.text, /line 2 of robots.txt disallows it/);
assert.equal(answer.structuredContent.robots.length, 10);
answer = await call("why", {
  url: `${shop.url}/given`,
  robots: ["Bingbot"],
  html: "<title>x</title>",
  headers: [["X-Robots-Tag", "noindex"]],
});
assert.match(answer.text, /noindex/);
assert.ok(!shop.requests.includes("/given"));

// A robots.txt is requested once.
for (const one of [shop, failing, old]) {
  assert.equal(one.requests.filter((path) => path === "/robots.txt").length, one === shop ? 2 : 1, one.requests);
}

// The other tools request nothing.
const requested = shop.requests.length;
const urls = [`${shop.url}/none`, "/private/", "http://[x/"];
answer = await call("check_robots_txt", { text: ROBOTS, urls, robots: ["GPTBot", "*"] });
assert.deepEqual(
  answer.structuredContent.verdicts.map(({ allowed, line }) => [allowed, line]),
  [
    [true, null],
    [false, 6],
    [false, 2],
    [true, 5],
    [null, null],
  ],
);
assert.equal(answer.text.split("\n").length, 5);
answer = await call("lint_robots_txt", { text: "User-agent: *\nDisalow: /x\n" });
assert.equal(answer.structuredContent.findings[0].line, 2);
assert.match(answer.text, /^line 2: \w+ R\d+: /);
answer = await call("lint_robots_txt", { text: "User-agent: *\nDisallow: /x\n" });
assert.deepEqual(answer.structuredContent, { findings: [] });
answer = await call("block", { purposes: ["ai-train"] });
assert.match(answer.text, /^User-agent: GPTBot$[^]*^Disallow: \/$/m);
assert.ok(answer.structuredContent.robots.includes("GPTBot"));
assert.match(answer.text, /^# Left out, as they were not verified: /m);
answer = await call("block", { purposes: ["ai-train"], unverified: true });
assert.match(answer.text, /^# Not verified:\nUser-agent: /m);
assert.equal(shop.requests.length, requested);

// Errors that a model can correct are answers of the tool.
assert.match(await fail("may_fetch", { url: shop.url }), /missing field `robot`/);
assert.match(await fail("may_fetch", { url: shop.url, robott: "*" }), /did you mean `robot`/);
assert.match(await fail("may_fetch", { url: "ftp://example.com/", robot: "*" }), /expected URLs with http or https/);
assert.match(await fail("may_fetch", { url: shop.url, robot: "" }), /expected/);
assert.match(await fail("why", { url: "nowhere" }), /expected the URL of a page/);
assert.match(await fail("why", {}), /missing field `url`/);
assert.match(await fail("check_robots_txt", { text: "", urls: [] }), /expected at least one/);
assert.match(await fail("check_robots_txt", { text: "", urls: ["/", "/", "/", "/"] }), /4 URLs in one question; limits.urls is 3/);
assert.match(await fail("lint_robots_txt", { text: 7 }), /invalid type/);
assert.match(await fail("lint_robots_txt", { text: "\0".repeat(60_000) }), /limits.body-bytes is 64KiB/);
assert.match(await fail("block", { purposes: ["ai-training"] }), /did you mean ai-train/);
assert.match(await fail("block", { purposes: ["xyzzy"] }), /expected the name of a known robot, or a purpose \(search, ads, /);
// Others are errors of the protocol.
await assert.rejects(client.callTool({ name: "may_fly", arguments: {} }), { code: -32602, message: /unknown tool/ });

// A slow site does not delay other calls.
const waiting = call("may_fetch", { url: `${slow.url}/x`, robot: "*" });
answer = await call("may_fetch", { url: `${shop.url}/x`, robot: "*" });
assert.equal(answer.structuredContent.allowed, true);
release();
assert.equal((await waiting).structuredContent.allowed, false);
await client.close();

// Without the setting, nothing is requested from an address that is not public.
const others = await connect();
const before = shop.requests.length;
answer = await others.call("may_fetch", { url: `${shop.url}/x`, robot: "*" });
assert.match(answer.text, /^no: .*no public address/);
answer = await others.call("why", { url: `${shop.url}/x` });
assert.match(answer.structuredContent.robots_txt.fault_text, /no public address/);
assert.equal(shop.requests.length, before);
await others.client.close();

for (const { server } of [shop, failing, old, slow]) {
  server.closeAllConnections();
  server.close();
}
