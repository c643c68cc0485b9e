// Makes the pictures of README.md: the checker page's answer about a page that is closed by accident, in the light and the dark theme.
// From the project's root: ROBOTS_PROGRAM=target/debug/robots node tests/checker/picture.mjs. Needs Chromium, as check.mjs does.

import { chromium } from "playwright-core";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

// The rule for `/c` (a cart) closes /chairs/, too.
const ROBOTS = "User-agent: *\nDisallow: /admin/\nDisallow: /c\n\nSitemap: https://shop.example/sitemap.xml\n";
const PAGE = '<!doctype html><title>Chairs</title><meta name="robots" content="index, follow, max-snippet:200"><h1>Chairs</h1>';

const program = spawn(process.env.ROBOTS_PROGRAM, ["serve", "--listen", "127.0.0.1:0"], { stdio: ["ignore", "ignore", "pipe"] });
const origin = await new Promise((done) => {
  createInterface({ input: program.stderr }).on("line", (line) => {
    const address = /127\.0\.0\.1:[1-9]\d*/.exec(line);
    if (address) done(`http://${address[0]}`);
  });
});
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
for (const colorScheme of ["light", "dark"]) {
  const page = await browser.newPage({ colorScheme, viewport: { width: 880, height: 700 } });
  await page.goto(origin);
  await page.locator("summary", { hasText: /robots\.txt/ }).first().click();
  for (const [name, value] of [["robots", ROBOTS], ["urls", "https://shop.example/chairs/"], ["html", PAGE]]) {
    await page.fill(`#${name}`, value);
  }
  await page.getByRole("button", { name: "Check this text" }).click();
  const answer = page.locator("h1", { hasText: "line 3" });
  await answer.waitFor();
  await page.evaluate(() => document.getElementById("status").replaceChildren());
  const { y } = await answer.boundingBox();
  const clip = { x: 0, y: y + (await page.evaluate(() => scrollY)) - 40, width: 880, height: 620 };
  await page.screenshot({ path: `docs/images/answer-${colorScheme}.png`, fullPage: true, clip });
}
await browser.close();
program.kill();
