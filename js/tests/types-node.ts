// Compiled, not run: without the types of the DOM, as a program for Node.js has them.
import { Decision, lintRobotsTxt, Policy, readHead, RobotsTxt } from "robots-policy";
import { CrawlRobots } from "robots-policy/crawlee";
import robotsParser from "robots-policy/robots-parser";
import { nameOfUserAgent } from "robots-policy/txt";

const decision: Decision = new Policy("ExampleBot").decide(new URL("https://example.com/"), "", { headers: new Headers() });
const [finding] = lintRobotsTxt("Disalow: /");
const text: string | undefined = finding?.fix?.[0]?.text;
const hook = new CrawlRobots("ExampleBot", { fetch }).preNavigationHooks[0];
const parser = robotsParser("https://example.com/robots.txt", "");
export const all = [decision, text, hook, parser, nameOfUserAgent("a"), readHead(""), RobotsTxt.parse("").rules("a").rules];
