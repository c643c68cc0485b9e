// Answers questions with one library for Node.js: `node node.cjs LIBRARY`. The protocol is in README.md.
'use strict';

const path = require('node:path');
const readline = require('node:readline');
const { Readable } = require('node:stream');

const folder = process.env.FIELD_NODE_MODULES;
const load = (name) => require(path.join(folder, name));

const body = (question) => (question.robots_base64 === undefined
  ? Buffer.from(question.robots, 'utf8')
  : Buffer.from(question.robots_base64, 'base64'));

const unsupported = (reason) => { throw Object.assign(new Error(reason), { isUnsupported: true }); };

const libraries = {
  'robots-parser': async (question) => {
    const rules = load('robots-parser')(question.robots_url, body(question).toString('utf8'));
    return question.ask === 'crawl_delay'
      ? rules.getCrawlDelay(question.agent) ?? null
      : rules.isAllowed(question.url, question.agent);
  },
  'robots-txt-guard': async (question) => {
    if (question.ask === 'crawl_delay') unsupported('no method for Crawl-delay');
    const parsed = await load('robots-txt-parse')(Readable.from([body(question)]));
    return load('robots-txt-guard')(parsed).isAllowed(question.agent, question.path);
  },
  'robots-txt-parser': async (question) => {
    const rules = load('robots-txt-parser')({ userAgent: question.agent });
    rules.parseRobots(question.robots_url, body(question).toString('utf8'));
    return question.ask === 'crawl_delay' ? rules.getCrawlDelaySync() : rules.canCrawlSync(question.url);
  },
  'robots-policy': async (question) => {
    const { RobotsTxt, nameOfUserAgent } = require(process.env.FIELD_NPM);
    const name = question.agent.includes('/') ? nameOfUserAgent(question.agent) : question.agent;
    const robots = RobotsTxt.parse(body(question), { url: question.robots_url });
    // The name alone: a question states all names of the robot.
    const rules = robots.rules({ names: [name] }, { dialect: question.dialect });
    return question.ask === 'crawl_delay' ? rules.crawlDelay ?? null : rules.allowed(question.url);
  },
};

const reply = async (library, question) => {
  try {
    const answer = await library(question);
    return answer === undefined ? { unsupported: 'the library returns undefined' } : { [question.ask]: answer };
  } catch (error) {
    const message = String(error && error.message || error).slice(0, 300);
    return error.isUnsupported ? { unsupported: message } : { error: message };
  }
};

const main = async () => {
  const library = libraries[process.argv[2]];
  for await (const line of readline.createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    process.stdout.write(`${JSON.stringify(await reply(library, JSON.parse(line)))}\n`);
  }
};

main();
