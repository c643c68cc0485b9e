// Prints the memory after decisions and after files that nobody disposes: node --expose-gc tests/memory.mjs [DECISIONS] [FILES]
//
// Fails if the memory of the process grows by more than 64 MiB in the second half of either.
import { Policy, RobotsTxt } from "robots-policy";

const [decisions = 1e6, files = 1e5] = process.argv.slice(2).map(Number);
const MOST = 64 << 20;

function flat(name, count, call) {
  let half = 0;
  for (let index = 0; index < count; index += 1) {
    call(index);
    if (index === count >> 1) {
      globalThis.gc();
      half = process.memoryUsage().rss;
    }
  }
  globalThis.gc();
  const end = process.memoryUsage().rss;
  console.log(`${name}: ${count}, ${(half / 1e6).toFixed(0)} MB at half, ${(end / 1e6).toFixed(0)} MB at the end`);
  if (end - half > MOST) process.exitCode = 1;
}

const policy = new Policy("Googlebot");
const page = `<title>a</title><meta name=robots content=noindex><body>${"<p>text ".repeat(500)}`;
flat("decisions", decisions, (index) => policy.decide(`https://${index % 1000}.example/${index}`, page, { status: 200 }));

const body = `User-agent: *\n${Array.from({ length: 500 }, (_, index) => `Disallow: /${index}/*/a\n`).join("")}`;
flat("files and rules", files, (index) => RobotsTxt.parse(`${body}Disallow: /${index}`).rules("ExampleBot").allowed("/1/2/a"));
