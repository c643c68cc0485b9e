// A worker (Cloudflare, Deno Deploy and others that have `fetch` handlers): what may a robot do with a page?
//
// GET /?robot=ExampleBot&url=https://example.com/page. The bundler gives the module; nothing is evaluated, and no file is read.
import { init, Policy } from "robots-policy/web";
import module from "robots-policy/robots.wasm";

let ready;

export default {
  async fetch(request) {
    await (ready ??= init(module));
    const query = new URL(request.url).searchParams;
    const page = new URL(query.get("url"));
    const policy = new Policy(query.get("robot") ?? "*");
    const robots = await fetch(new URL("/robots.txt", page));
    policy.learn(page, { status: robots.status, body: new Uint8Array(await robots.arrayBuffer()) });
    if (!policy.decide(page).mayFetch) return Response.json(policy.decide(page));
    const response = await fetch(page);
    const html = new Uint8Array(await response.arrayBuffer());
    return Response.json(policy.decide(page, html, { status: response.status, headers: response.headers }));
  },
};
