// Compares `robots-policy/robots-parser` with robots-parser on questions about real files: node tests/compare.mjs ARCHIVE [QUESTIONS]
//
// Prints the number of questions, and of the differences in each class with an example. A difference without a class is an error.
import theirs from "robots-parser";
import ours from "robots-policy/robots-parser";
import { responses } from "./corpus.mjs";

const [archive, most = "100000"] = process.argv.slice(2);
const files = [...responses(archive)].filter(({ body }) => body.length > 0);
const perFile = Math.ceil(Number(most) / files.length) + 1;

/** A generator of numbers that are the same in each run. */
let seed = 1;
const random = (limit) => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
  return (seed >>> 8) % limit;
};
const pick = (list) => list[random(list.length)];

/** Returns the lines with the values of those of a field changed. */
const changed = (lines, field, change) =>
  lines.map((line) => line.replace(new RegExp(`^(\\s*${field}\\s*:\\s*)([^#\\r\\n]*?)([ \\t]*(?:#.*)?)$`, "i"), (_, start, value, end) => start + change(value) + end));

/** Returns the part of a name that RFC 9309 compares. */
const token = (name) => (name.startsWith("*") ? "*" : /^[A-Za-z_-]*/.exec(name)[0]);

/**
 * The classes: what, changed in the question, makes robots-parser answer as this package does.
 *
 * Each takes the lines of the file, the URL and the robot, and returns those of another question.
 */
const CLASSES = [
  ["a name in a User-agent line ends at the first character that no name has", ({ lines, url, agent }) => ({
    lines: changed(lines, "user-agent", token), url, agent: token(agent),
  })],
  ["other lines do not end the names of a group", ({ lines, url, agent }) => ({
    lines: lines.map((line) => (/^\s*(user-agent|allow|disallow)\s*:/i.test(line) ? line : "")), url, agent,
  })],
  ["a group without rules allows its robots everything", ({ lines, url, agent }) => ({
    lines: lines.map((line) => (/^\s*user-agent\s*:/i.test(line) ? `${line}\nDisallow:\n${line}` : line)), url, agent,
  })],
  ["characters such as [ and { in a rule are those of a URL, escaped or not", ({ lines, url, agent }) => ({
    lines, url: encodeURI(url).replace(/%25/g, "%"), agent,
  })],
  ["white space other than that of ASCII is a part of a rule", ({ lines, url, agent }) => ({
    lines: changed(lines, "(?:dis)?allow", (rule) => rule.replace(/\s/g, encodeURIComponent)), url, agent,
  })],
];

/** Returns the class of a difference; undefined if it has none. */
function classOf({ lines, url, agent, answers: [, our] }, own) {
  if (new URL(url).pathname === "/robots.txt") return "/robots.txt itself is always allowed";
  const explains = (chosen) => {
    const asked = chosen.reduce((question, [, change]) => change(question), { lines, url, agent });
    return theirs(own, asked.lines.join("\n")).isAllowed(asked.url, asked.agent) === our;
  };
  const alone = CLASSES.find((one) => explains([one]));
  if (alone !== undefined) return alone[0];
  // Each set of classes is a number, whose bits are its members.
  for (let set = 1; set < 1 << CLASSES.length; set += 1) {
    if (explains(CLASSES.filter((_, index) => set & (1 << index)))) return "several of these";
  }
  return undefined;
}

const classes = new Map();
let questions = 0;
outer: for (const { url, body } of files) {
  const text = body.toString("utf8");
  const lines = text.split(/\r\n|\r|\n/);
  const patterns = lines.map((line) => /^\s*(?:dis)?allow\s*:\s*([^#\s]+)/i.exec(line)?.[1]).filter(Boolean);
  const agents = lines.map((line) => /^\s*user-agent\s*:\s*([\w*-]+)/i.exec(line)?.[1]).filter(Boolean);
  const [one, other] = [theirs(url, text), ours(url, text)];
  for (let count = 0; count < perFile; count += 1) {
    if (questions === Number(most)) break outer;
    const pattern = patterns.length > 0 && random(5) > 0 ? pick(patterns) : `/${pick(["", "a", "index.html", "search?q=a", "robots.txt"])}`;
    const path = pattern.replace(/\$$/, "").replace(/\*/g, () => pick(["", "a", "x/y"])) + pick(["", "", "a", "/", "?a=b"]);
    let target;
    try {
      target = new URL(path.startsWith("/") ? path : `/${path}`, url).href;
    } catch {
      continue;
    }
    const agent = pick(["*", "Googlebot", "ExampleBot", "GPTBot", agents.length > 0 ? pick(agents) : "Bingbot"]);
    questions += 1;
    const answers = [one.isAllowed(target, agent), other.isAllowed(target, agent)];
    if (answers[0] === answers[1]) continue;
    const difference = {
      url: target, agent, lines, answers,
      their: one.getMatchingLineNumber(target, agent), our: other.getMatchingLineNumber(target, agent),
    };
    const name = classOf(difference, url) ?? "UNCLASSIFIED";
    const known = classes.get(name) ?? { count: 0, examples: [] };
    known.count += 1;
    known.examples.push(difference);
    classes.set(name, known);
  }
}

console.log(`${questions} questions about ${files.length} files`);
for (const [name, { count, examples }] of [...classes].sort((a, b) => b[1].count - a[1].count)) {
  console.log(`${count}\t${name}`);
  for (const { url, agent, their, our, lines, answers } of examples.slice(0, Number(process.env.EXAMPLES ?? 1))) {
    console.log(`\t${agent} ${url}: theirs ${answers[0]} (${their}: ${lines[their - 1]?.slice(0, 80)}), ours ${answers[1]} (${our}: ${lines[our - 1]?.slice(0, 80)})`);
  }
}
if (classes.has("UNCLASSIFIED")) process.exitCode = 1;
