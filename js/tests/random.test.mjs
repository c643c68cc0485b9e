// Random calls: each returns or throws a RobotsError, and never a trap. RANDOM_CALLS sets their number: a million takes minutes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { HeadReader, lintPage, lintRobotsTxt, nameOfUserAgent, Policy, readHead, RobotsError, RobotsTxt } from "robots-policy";

const CALLS = Number(process.env.RANDOM_CALLS ?? 20_000);
const WORDS = [
  "User-agent: ", "*", "Disallow: ", "Allow: ", "/", "a", "$", "%2f", "%", "\n", "\r", "\0", "#", ":", " ", "é", "😀", "\ud800", "\ufeff", "Crawl-delay: ",
  "Request-rate: 1/2", "Content-Signal: ai-train=no", "<meta name=robots content='", "none'>", "<title>", "<!--", "<script>", "&amp;", "charset=utf-16",
  "https://a.example/", "//", "?", "9999999999999999999", "-1", "max-snippet:", "unavailable_after: ", "2030-01-01", "Googlebot", "noindex", ",", "[", "]",
];

let seed = Number(process.env.RANDOM_SEED ?? 1);
const random = (limit) => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
  return (seed >>> 8) % limit;
};
const pick = (list) => list[random(list.length)];
const words = () => Array.from({ length: random(12) }, () => pick(WORDS)).join("");
const bytes = () => Uint8Array.from({ length: random(40) }, () => random(256));
const content = () => (random(3) === 0 ? bytes() : words());
const any = () => pick([words, bytes, () => random(1e9) - 5e8, () => null, () => undefined, () => [words()], () => ({ a: 1 }), () => NaN, () => new Date(random(1e9) * 1e4)])();
const option = (name, value) => (random(4) === 0 ? { [name]: any() } : random(2) === 0 ? { [name]: value() } : {});

test(`${CALLS} random calls`, () => {
  let [file, rules, policy, reader] = [RobotsTxt.parse(""), RobotsTxt.parse("").rules("a"), new Policy("a"), new HeadReader()];
  const calls = [
    () => (file = RobotsTxt.parse(content(), option("url", words))),
    () => (rules = file.rules(pick(["a", "Googlebot", "*", words(), { names: [words(), "b"] }]), { ...option("dialect", () => pick(["google", "bing", "rfc9309"])), ...option("profile", () => "google") })),
    () => rules.allowed(content()), () => rules.verdict(content()), () => rules.matching(content()),
    () => rules.rules, () => rules.crawlDelay, () => rules.requestRates, () => file.sitemaps, () => file.hosts, () => file.body, () => file.lineText(random(9)),
    () => file.diff(RobotsTxt.parse(content()), option("robots", () => ["a", "b"])),
    () => (policy = new Policy(pick(["a", "Googlebot", words()]), { ...option("profile", () => "bing"), ...option("profileToml", words), ...option("storeLimit", () => random(1e6)) })),
    () => policy.learn(pick(["https://a.example/", words()]), { ...option("body", content), ...option("status", () => random(700)), ...option("at", () => random(1e12)), ...option("freshFor", () => random(1e9)) }),
    () => policy.learnTdmrep("https://a.example/", content()), () => policy.forget(words()), () => policy.askAgainAt(words()),
    () => policy.decide(pick(["https://a.example/a", words()]), random(4) ? content() : any(), {
      ...option("status", () => random(700)), ...option("headers", () => [[words(), words()]]), ...option("at", () => random(1e12)), ...option("notHtml", () => true),
      ...option("charset", words), ...option("capturedAt", () => random(1e12)),
    }).explain(),
    () => readHead(content(), { ...option("charset", words), ...option("document", () => true) }),
    () => (reader = new HeadReader(option("charset", words))), () => reader.feed(content()), () => reader.finish(),
    () => lintRobotsTxt(content()), () => lintPage(content(), { ...option("url", words), ...option("headers", () => ({ a: words() })), ...option("names", () => [words()]) }),
    () => nameOfUserAgent(words()), () => file.dispose(), () => rules.dispose(), () => policy.dispose(), () => reader.dispose(),
  ];
  let errors = 0;
  for (let count = 0; count < CALLS; count += 1) {
    try {
      pick(calls)();
    } catch (error) {
      assert(error instanceof RobotsError && error.code !== "poisoned", `${error.stack}, of call ${count}`);
      errors += 1;
    }
    if (count % 500 === 0) [file, rules, policy, reader] = [RobotsTxt.parse(""), RobotsTxt.parse("").rules("a"), new Policy("a"), new HeadReader()];
  }
  assert(errors > CALLS / 20 && errors < CALLS * 0.9, `${errors} errors`);
});
