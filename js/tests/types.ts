// Compiled, not run: the types in strict mode, as a program has them.
import { Decision, HeadReader, Policy, readHead, RobotsError, RobotsTxt } from "robots-policy";
import { CrawlRobots } from "robots-policy/crawlee";
import robotsParser from "robots-policy/robots-parser";
import { RobotsTxt as Small } from "robots-policy/txt";
import { init } from "robots-policy/web";

using file = RobotsTxt.parse(new Uint8Array(), { url: new URL("https://example.com/robots.txt") });
using rules = file.rules("ExampleBot", { dialect: "google" });
const line: number | null = rules.verdict("/a").line;
// @ts-expect-error: not a dialect.
file.rules("ExampleBot", { dialect: "gogle" });
// @ts-expect-error: not an option.
file.rules("ExampleBot", { dialct: "google" });
using policy = new Policy("ExampleBot", { profile: "google" });
policy.learn("https://example.com/", { status: 404, at: new Date() });
const decision: Decision = policy.decide("https://example.com/", null, { headers: new Headers(), at: null });
const may: boolean = decision.mayFetch;
// @ts-expect-error: it may be missing.
const expires: Date = decision.expiresAt;
const title: string | null = readHead("<title>a</title>").title;
const done: boolean = new HeadReader({ charset: "utf-8" }).feed(new Uint8Array());
const allowed: boolean | undefined = robotsParser("https://example.com/robots.txt", "").isAllowed("https://example.com/");
const delay: number | null = Small.parse("").rules({ names: ["a", "b"], obeysStar: false }).crawlDelay;
const hooks: ((context: { request: { url: string } }) => Promise<void>)[] = new CrawlRobots("ExampleBot").preNavigationHooks;
const loaded: Promise<void> = init(fetch("/robots.wasm"));
const code: string = new RobotsError("disposed", "").code;
export const all = [line, may, expires, title, done, allowed, delay, hooks, loaded, code];
