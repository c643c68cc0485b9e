// Checks the checker page of `robots serve` in Chromium: node check.mjs (`.ci/checker` prepares and runs this).
//
// Starts the program of the variable ROBOTS_PROGRAM on a free port of this machine, and a small site for it. Every flow of the page is
// followed on the screens of a phone and a desktop, in the light and the dark theme, with and without scripts. The answer has
//   - the expected headline,
//   - no violation of the rules of axe, also with all details open,
//   - no part that is wider than the screen, but in its scroll boxes, and no text smaller than 13 pixels,
//   - no message of the browser, no request elsewhere, and no inline style,
//   - on a phone, a height of up to 2,500 pixels before its parts are opened.
// Then it walks the page by keyboard, copies a link and a corrected file, and goes back.
//
// With SHORT, each flow is followed once with scripts and once without. Writes pictures to the folder PICTURES, if there is one.

import { chromium } from "playwright-core";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";

const MIN_PIXELS = 13;
const MAX_ANSWER_PIXELS = 2500;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const pictures = process.env.PICTURES;
const isShort = Boolean(process.env.SHORT);
let failures = 0;

function fail(where, what) {
  failures += 1;
  console.log(`${where}: ${what}`);
}

function expect(where, found, wanted) {
  if (found !== wanted) fail(where, `found ${JSON.stringify(found)}, expected ${JSON.stringify(wanted)}`);
}

// The site.

const ROBOTS = `# A shop
User-agent: *
Disallow: /private/
Disalow: /tmp/
Disallow: /search*
Crawl-delay: 5

User-agent: bingbot
Disallow: /

User-agent: GPTBot
Disallow: /

Sitemap: /sitemap.xml
`;
const PAGE = `<!doctype html><title>Secret of the page</title>
<meta name="robots" content="index, nofollow, max-snippet:50">
<meta name="yandex" content="noindex"><p>Secret of the page`;
const HEADERS = "HTTP/1.1 200 OK\nContent-Type: text/html\nX-Robots-Tag: noarchive\nX-Robots-Tag: otherbot: noindex";
const NEW = "User-agent: *\nDisallow: /private/\nDisallow: /tmp/\n";

async function site(answer) {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((done) => server.on("listening", done));
  return server;
}

const shop = await site((request, response) => {
  if (request.url === "/robots.txt") {
    response.writeHead(301, { Location: "/files/robots.txt" }).end();
  } else if (request.url === "/files/robots.txt") {
    response.writeHead(200, { "Content-Type": "text/plain" }).end(ROBOTS);
  } else {
    response.writeHead(200, { "Content-Type": "text/html; charset=utf-8", "X-Robots-Tag": "noarchive" }).end(PAGE);
  }
});
const failing = await site((_, response) => response.writeHead(503).end("Secret of the page"));

// The service.

async function serve(args) {
  const program = spawn(process.env.ROBOTS_PROGRAM, ["serve", "--listen", "127.0.0.1:0", ...args], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const lines = createInterface({ input: program.stderr });
  const origin = await new Promise((done, failed) => {
    lines.on("line", (line) => {
      const address = /127\.0\.0\.1:[1-9]\d*/.exec(line);
      if (address) done(`http://${address[0]}`);
      else if (!/ (INFO|WARN) /.test(line)) console.log(line);
    });
    program.on("exit", (code) => failed(new Error(`the service ended with code ${code}`)));
  });
  program.removeAllListeners("exit");
  return { program, origin };
}

const service = await serve(["--set", "allow-private=true"]);
// This one refuses private addresses and large texts.
const strict = await serve(["--set", "limits.body-bytes=4KiB"]);
// This one needs a key.
const KEY = "0123456789abcdef";
const keyed = await serve(["--set", "allow-private=true", "--set", `api-key=${KEY}`]);
// Of this one, a client may not ask often.
const limited = await serve([
  ...["--set", "exempt-clients="],
  ...["--set", "limits.rate-per-client=1", "--set", "limits.burst-per-client=10"],
]);

// The flows.

async function fillText(page, fields) {
  await page.locator("summary", { hasText: /robots\.txt/ }).first().click();
  for (const [name, value] of Object.entries(fields)) await page.fill(`#${name}`, value);
  await page.getByRole("button", { name: "Check this text" }).click();
}

async function ask(page, url) {
  await page.fill("#url", url);
  await page.getByRole("button", { name: "Check", exact: true }).click();
}

const port = (server) => server.address().port;
const FLOWS = [
  {
    name: "start",
    headline: "May robots fetch, index and train with this page?",
    run: async () => {},
  },
  {
    name: "site",
    headline: "Google may fetch and index this page; 1 of 10 engines may not",
    run: (page) => ask(page, `http://127.0.0.1:${port(shop)}/offers`),
    has: ["after 1 redirect", "/files/robots.txt", "noarchive", "R012", "Disalow"],
    isFolded: true,
  },
  {
    name: "robot",
    headline: "GPTBot may not fetch this page: line 12 of robots.txt disallows it",
    run: async (page) => {
      await page.fill("#robot", "GPTBot");
      await ask(page, `http://127.0.0.1:${port(shop)}/offers`);
    },
    has: ["Disallow: / (group of GPTBot)", "AI robots: 1 of "],
    isFolded: true,
  },
  {
    name: "closed",
    headline: "Bing may not fetch this page: line 9 of robots.txt disallows it",
    run: async (page) => {
      await page.fill("#robot", "bingbot");
      await page.getByLabel("This is my site").check();
      await ask(page, `http://127.0.0.1:${port(shop)}/offers`);
    },
    has: ["Disallow: /"],
    isFolded: true,
  },
  {
    name: "bad-robot",
    headline: "This is not the name of a robot",
    run: async (page) => {
      await page.fill("#robot", "My Bot");
      await ask(page, `http://127.0.0.1:${port(shop)}/offers`);
    },
    isError: true,
  },
  {
    name: "unreachable",
    headline: "Google may not fetch this page now: robots.txt was answered with status 503; 2 of 10 engines may",
    run: (page) => ask(page, `http://127.0.0.1:${port(failing)}/`),
    has: ["status 503"],
    isFolded: true,
  },
  {
    name: "text",
    headline: "Google may fetch and index this page; 1 of 10 engines may not",
    run: (page) => fillText(page, { robots: ROBOTS, urls: "/offers", html: PAGE, headers: HEADERS }),
    has: ["X-Robots-Tag: noarchive", "META in line 2, column 1"],
    isFolded: true,
  },
  {
    name: "urls",
    headline: "Google may fetch 2 of 4 URLs; 0 are open to every engine",
    run: (page) => fillText(page, { robots: ROBOTS, urls: "/a\n/private/x\n/search?q=1\nhttps://example.com/b" }),
  },
  {
    name: "comparison",
    headline: /may fetch more, and \d+ less$/,
    run: async (page) => {
      await page.locator("summary", { hasText: "Compare" }).click();
      await page.fill("#old", ROBOTS);
      await page.fill("#new", NEW);
      await page.getByRole("button", { name: "Compare" }).click();
    },
    has: ["Lines that change", "allowed now", "disallowed now"],
  },
  {
    name: "bad-url",
    headline: "This is not a URL that can be checked",
    run: (page) => ask(page, "ftp://example.com/"),
    isError: true,
  },
  {
    name: "bad-headers",
    headline: "These are not header lines",
    run: (page) => fillText(page, { robots: ROBOTS, headers: "noindex" }),
    isError: true,
  },
  {
    name: "private",
    headline: "This site was not found",
    run: (page) => ask(page, `http://127.0.0.1:${port(shop)}/offers`),
    origin: () => strict.origin,
    isError: true,
  },
  {
    name: "too-large",
    headline: "This text is too large",
    run: (page) => fillText(page, { robots: "# a comment\n".repeat(400) }),
    origin: () => strict.origin,
    isError: true,
    // With scripts, the text is still there.
    keeps: true,
  },
];

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});

async function open(where, origin, options, isError) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.on("console", (message) => {
    // The browser reports the status of an error page.
    if (!(isError && /status of 4\d\d|MIME type/.test(message.text()))) fail(where, message.text());
  });
  page.on("pageerror", (error) => fail(where, String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`)) fail(where, `requests ${request.url()}`);
  });
  const response = await page.goto(`${origin}/`);
  const policy = response.headers()["content-security-policy"] ?? "";
  if (!policy.startsWith("default-src 'none'") || policy.includes("unsafe")) fail(where, `policy ${policy}`);
  return page;
}

async function follow(flow, width, theme, hasScripts) {
  const where = `${flow.name}, ${width} pixels, ${theme}, ${hasScripts ? "with" : "without"} scripts`;
  const origin = flow.origin?.() ?? service.origin;
  // The policy of the page forbids other scripts. Only the context of axe is exempt from it.
  for (const bypassCSP of hasScripts ? [false, true] : [false]) {
    const options = { viewport: { width, height: 900 }, colorScheme: theme, javaScriptEnabled: hasScripts, bypassCSP };
    const page = await open(where, origin, options, flow.isError);
    await flow.run(page);
    const headline = page.locator("h1", { hasText: flow.headline });
    await headline.waitFor({ timeout: 20_000 }).catch(() => {});
    if ((await headline.count()) !== 1) {
      fail(where, `found the headline ${JSON.stringify(await page.locator("h1").allTextContents())}`);
      await page.context().close();
      return;
    }
    if (flow.keeps && hasScripts && !(await page.inputValue("#robots"))) fail(where, "loses the pasted text");
    const html = await page.content();
    if (html.includes("Secret of the page") && flow.name !== "text") fail(where, "shows the body of the page");
    for (const text of flow.has ?? []) {
      const visible = await page.locator("#answer").textContent();
      if (!visible.includes(text)) fail(where, `does not have ${text}`);
    }
    if (flow.isFolded && width < 1000) {
      const { height } = await page.locator("#answer").boundingBox();
      if (height > MAX_ANSWER_PIXELS) fail(where, `the answer is ${height} pixels high`);
    }
    if (!hasScripts) {
      if (await page.locator("#answer .tools:visible").count()) fail(where, "shows a button that needs scripts");
    } else if (bypassCSP) {
      await page.evaluate(() => document.querySelectorAll("details").forEach((details) => {
        details.removeAttribute("name");
        details.open = true;
      }));
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => globalThis.axe.run());
      for (const { id, help, nodes } of violations) {
        fail(where, `${id}: ${help} (${nodes.length}): ${nodes[0].html.slice(0, 200)}`);
      }
      const small = await page.evaluate((least) => {
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        const found = [];
        while (walker.nextNode()) {
          const size = parseFloat(getComputedStyle(walker.currentNode.parentElement).fontSize);
          if (walker.currentNode.data.trim() && size < least) found.push(`${size} pixels: ${walker.currentNode.data}`);
        }
        return found;
      }, MIN_PIXELS);
      for (const text of small) fail(where, text);
      const styled = await page.locator("[style]").count();
      if (styled) fail(where, `${styled} inline styles`);
    } else {
      await page.evaluate(() => document.activeElement?.blur());
      await page.evaluate(() => window.scrollTo(0, 0));
      // The message would hide a part of the picture.
      await page.evaluate(() => document.getElementById("status").replaceChildren());
    }
    if (!bypassCSP && pictures) {
      const name = `${flow.name}-${width}-${theme}${hasScripts ? "" : "-without-scripts"}.png`;
      await page.screenshot({ path: join(pictures, name), fullPage: true });
    }
    if (hasScripts) {
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      if (wide > width) fail(where, `${wide} pixels wide`);
    }
    await page.context().close();
  }
}

// The parts that only scripts have: links to questions, copies, and going back.
async function scripts() {
  const where = "scripts";
  const page = await open(where, service.origin, { permissions: ["clipboard-read", "clipboard-write"] });
  const flow = (name) => FLOWS.find((flow) => flow.name === name);
  const text = flow("text");
  const failingHeadline = flow("unreachable").headline;
  await text.run(page);
  await page.locator("#status", { hasText: "The answer is ready." }).waitFor();
  expect(where, await page.evaluate(() => document.activeElement.textContent), text.headline);

  await page.locator("#robots-txt-heading").click();
  await page.getByRole("button", { name: "Copy the corrected file" }).click();
  await page.getByText("Copied.").waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(where, copied.replaceAll("\r\n", "\n"), ROBOTS.replace("Disalow", "Disallow"));

  await page.getByRole("button", { name: "Copy a link" }).click();
  await page.locator("[data-link] output", { hasText: "Copied." }).waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  if (!link.startsWith(`${service.origin}/#!`)) fail(where, `link ${link}`);

  // A place in the answer keeps the question in the address.
  await page.locator("a[href='#L4'], a[href^='#why-']").first().click();
  if (!page.url().startsWith(`${service.origin}/#!`)) fail(where, `the address is ${page.url()}`);
  expect(where, await page.locator(".reached").count(), 1);

  const failingUrl = `http://127.0.0.1:${port(failing)}/`;
  await ask(page, failingUrl);
  await page.locator("h1", { hasText: failingHeadline }).waitFor();
  // Back and Forward: at the end, the answer, the form and the title are those of the entry.
  const agrees = async (headline, url, robots) => {
    const wanted = { headline, url, robots, hasTitle: robots !== "" || url !== "" };
    const found = () => page.evaluate(() => {
      const headline = document.querySelector("h1")?.textContent ?? "";
      const [url, robots] = ["url", "robots"].map((name) => document.getElementById(name).value);
      return { headline, url, robots, hasTitle: document.title.includes(headline) };
    });
    const deadline = Date.now() + 20_000;
    while (JSON.stringify(await found()) !== JSON.stringify(wanted) && Date.now() < deadline) await page.waitForTimeout(20);
    const [last, due] = [await found(), wanted].map((state) => JSON.stringify(state));
    if (last !== due) fail(where, `found ${last.slice(0, 500)}, expected ${due.slice(0, 500)}`);
  };
  await page.goBack();
  await agrees(text.headline, "", ROBOTS);
  await page.goBack();
  await agrees(FLOWS[0].headline, "", "");
  await page.goForward();
  await agrees(text.headline, "", ROBOTS);
  // A question that is too long for a link, and a place within its answer.
  const numbers = Array.from({ length: 6000 }, (_, index) => (index * 2654435761) % 4294967296);
  const long = `# ${numbers.join("")}\n`;
  await fillText(page, { robots: ROBOTS + long, urls: "", html: "", headers: "" });
  const longHeadline = "Google may fetch this page; 1 of 10 engines differ";
  await agrees(longHeadline, "", ROBOTS + long);
  await page.locator(".findings a[href='#engines']").click();
  expect(where, page.url(), `${service.origin}/`);
  await ask(page, failingUrl);
  await agrees(failingHeadline, failingUrl, "");
  await page.goBack();
  await agrees(longHeadline, "", ROBOTS + long);
  await page.goBack();
  await agrees(text.headline, "", ROBOTS);
  await page.goto(`${service.origin}/?${new URLSearchParams({ url: failingUrl })}`);
  await fillText(page, { robots: ROBOTS, urls: "/offers", html: PAGE, headers: HEADERS });
  await agrees(text.headline, "", ROBOTS);
  await page.goBack();
  await agrees(failingHeadline, failingUrl, "");
  await page.context().close();

  const shared = await open(where, service.origin, {});
  await shared.goto(link);
  await shared.reload();
  await shared.locator("h1", { hasText: text.headline }).waitFor();
  await shared.goto(`${service.origin}/#!damaged`);
  await shared.reload();
  await shared.getByText("The link is damaged").waitFor();
  await shared.context().close();
}

// The keyboard: the order of the page, a focus that can be seen, and the skip link.
async function keyboard() {
  const where = "keyboard";
  const page = await open(where, service.origin, { viewport: { width: 1280, height: 900 } });
  const walk = async (times) => {
    const names = [];
    for (let time = 0; time < times; time += 1) {
      await page.keyboard.press("Tab");
      const [name, outline] = await page.evaluate(() => {
        const { activeElement } = document;
        const { outlineStyle, outlineWidth } = getComputedStyle(activeElement);
        const name = activeElement.labels?.[0] ?? activeElement;
        return [name.textContent.trim(), outlineStyle === "none" ? 0 : parseFloat(outlineWidth)];
      });
      if (outline < 2) fail(where, `the focus cannot be seen at ${name}`);
      names.push(name);
    }
    return names.join(" | ");
  };
  expect(
    where,
    await walk(9),
    "Skip to the content | robots | URL of a page, or a site | Check | Robot optional | This is my site: read the page even if robots.txt closes it to this service | Paste a robots.txt instead | Compare two versions of a robots.txt | API",
  );
  await page.reload();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  expect(where, await page.evaluate(() => document.activeElement.id), "main");
  // A question and its answer without a mouse.
  await page.keyboard.press("Tab");
  await page.keyboard.type(`http://127.0.0.1:${port(shop)}/offers`);
  await page.keyboard.press("Enter");
  await page.locator("h1", { hasText: "Google may" }).waitFor();
  await page.keyboard.press("Tab");
  const next = await page.evaluate(() => document.activeElement.textContent);
  if (!next) fail(where, "nothing has the focus after the headline");
  await page.context().close();

  const still = await open(where, service.origin, { reducedMotion: "reduce" });
  expect(where, await still.evaluate(() => getComputedStyle(document.documentElement).scrollBehavior), "auto");
  await still.context().close();
}

// A browser that has the key sends it for the files of the page and each question.
async function key() {
  const where = "key";
  const page = await open(where, keyed.origin, { httpCredentials: { username: "anyone", password: KEY } });
  await ask(page, `http://127.0.0.1:${port(shop)}/offers`);
  await page.locator("h1", { hasText: "Google may" }).waitFor();
  expect(where, page.url().startsWith(`${keyed.origin}/#?url=`), true);
  await page.context().close();
}

async function tooMany() {
  const where = "too many requests";
  const page = await open(where, limited.origin, { javaScriptEnabled: false }, true);
  const url = `${limited.origin}/?url=ftp://example.com/`;
  const headline = page.locator("h1");
  // A slow machine may take longer for the page than the limit takes to allow one more question.
  for (let time = 0; time < 20; time += 1) {
    await Promise.all(Array.from({ length: 20 }, () => fetch(url)));
    await page.goto(url);
    if ((await headline.textContent()) === "Too many requests") break;
  }
  expect(where, await headline.textContent(), "Too many requests");
  await page.context().close();
}

try {
  for (const flow of FLOWS) {
    if (isShort) {
      await follow(flow, 390, "dark", true);
      await follow(flow, 1280, "light", false);
    } else {
      for (const width of [390, 1280]) {
        for (const theme of ["light", "dark"]) {
          for (const hasScripts of [true, false]) await follow(flow, width, theme, hasScripts);
        }
      }
    }
    console.log(`checked ${flow.name}`);
  }
  await scripts();
  await keyboard();
  await key();
  await tooMany();
  if (pictures) {
    const page = await open("print", service.origin, { colorScheme: "dark" });
    await FLOWS.find((flow) => flow.name === "text").run(page);
    await page.locator("h1", { hasText: "Google may" }).waitFor();
    await page.pdf({ path: join(pictures, "answer.pdf"), format: "A4" });
    await page.context().close();
  }
  console.log(failures === 0 ? "the checker page is as it should be" : `${failures} failures`);
} finally {
  await browser.close();
  for (const { program } of [service, strict, keyed, limited]) program.kill();
  for (const server of [shop, failing]) server.close();
}
process.exitCode = failures > 0 ? 1 : 0;
