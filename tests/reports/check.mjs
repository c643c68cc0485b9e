// Checks reports in Chromium: node check.mjs REPORT.html ... (`.ci/reports` makes the reports and runs this).
//
// On the screens of a phone and a desktop, in the light and the dark theme, with all tables shown, a report has
//   - no violation of the rules of axe,
//   - no part that is wider than the screen, but in its scroll boxes,
//   - no text smaller than 13 pixels,
//   - no message of the browser, and no request.
// Writes a picture of each to the folder PICTURES, if the environment names one, and the printed report as PDF.

import { chromium } from "playwright-core";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const MIN_PIXELS = 13;
const WIDTHS = [390, 1280];
const THEMES = ["light", "dark"];

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const pictures = process.env.PICTURES;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
let failures = 0;

function fail(where, what) {
  failures += 1;
  console.log(`${where}: ${what}`);
}

async function check(report, width, theme) {
  const where = `${basename(report)}, ${width} pixels, ${theme}`;
  const address = pathToFileURL(resolve(report)).href;
  // The policy of the page forbids scripts. Only the context of axe is exempt from it.
  for (const bypassCSP of [false, true]) {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: theme, bypassCSP });
    const page = await context.newPage();
    page.on("console", (message) => fail(where, message.text()));
    page.on("request", (request) => request.url() === address || fail(where, `requests ${request.url()}`));
    await page.goto(address);
    if (bypassCSP) {
      await page.evaluate(() => document.querySelectorAll("details").forEach((details) => (details.open = true)));
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => globalThis.axe.run());
      for (const { id, help, nodes } of violations) {
        fail(where, `${id}: ${help} (${nodes.length}): ${nodes[0].html.slice(0, 200)}`);
      }
    } else {
      if (pictures) {
        const name = `${basename(report, ".html")}-${width}-${theme}.png`;
        await page.screenshot({ path: join(pictures, name), fullPage: true });
      }
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      if (wide > width) fail(where, `${wide} pixels wide`);
      const small = await page.evaluate((least) => {
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        const found = [];
        while (walker.nextNode()) {
          const element = walker.currentNode.parentElement;
          const size = parseFloat(getComputedStyle(element).fontSize);
          if (walker.currentNode.data.trim() && size < least) found.push(`${size} pixels: ${walker.currentNode.data}`);
        }
        return found;
      }, MIN_PIXELS);
      for (const text of small) fail(where, text);
    }
    await context.close();
  }
}

for (const report of process.argv.slice(2)) {
  for (const width of WIDTHS) {
    for (const theme of THEMES) await check(report, width, theme);
  }
  if (pictures) {
    const page = await browser.newPage({ colorScheme: "dark" });
    await page.goto(pathToFileURL(resolve(report)).href);
    await page.pdf({ path: join(pictures, `${basename(report, ".html")}.pdf`), format: "A4" });
    await page.close();
  }
  console.log(`checked ${basename(report)}`);
}
await browser.close();
process.exitCode = failures > 0 || process.argv.length < 3 ? 1 : 0;
