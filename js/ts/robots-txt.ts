import { content, flag, list, optional, options, text, url, whole, wrong } from "./argument.js";
import { camel } from "./camel.js";
import { disposable } from "./disposable.js";
import { engine, Slot, type Engine } from "./engine.js";
import { RobotsError } from "./error.js";

/** The way of reading robots.txt. */
export type Dialect =
  | "rfc9309" | "google" | "bing" | "yandex" | "baidu" | "seznam" | "apple" | "koster1994" | "koster1996"
  | "koster1996-draft" | "conner1996" | "www-robotrules" | "python-robotparser" | "protego" | "allow-first";

/**
 * A robot: its name (`ExampleBot`), which has the groups that its vendor documents; or names in the order in which groups are searched,
 * and whether `*` applies to it (by default it does).
 */
export type Robot = string | { readonly names: readonly string[]; readonly obeysStar?: boolean };

/** A rule: a line that allows or disallows. Bytes that are not UTF-8 are replaced. */
export interface Rule {
  readonly kind: "allow" | "disallow";
  /** The number of its line, from 1. */
  readonly line: number;
  /** Its pattern, as written. */
  readonly text: string;
  /** The name in its group that matched the robot: `*` or a robot's name. */
  readonly agent: string;
  /** The line with that name; null if the rule is before the first User-agent line. */
  readonly agentLine: number | null;
}

/** Whether a URL may be fetched, and why. */
export interface Verdict {
  readonly allowed: boolean;
  readonly reason: "rule" | "no_rule_matches" | "no_group" | "robots_txt_itself";
  /** The rule that decided, if one did. */
  readonly rule: Rule | null;
  /** The number of its line, from 1. */
  readonly line: number | null;
  /** The rule as text: `Disallow: /private`. */
  readonly text: string | null;
  /** The name of its group: `*` or a robot's name. */
  readonly group: string | null;
  /** One line for people. */
  readonly explanation: string;
}

/** A rate of requests. */
export interface RequestRate {
  readonly line: number;
  readonly documents: number;
  /** The period, in seconds. */
  readonly period: number;
  /** The seconds between two documents at an even pace. */
  readonly interval: number;
  /** The hours in which the rate applies, in UTC: `0800-1600`; null for the whole day. */
  readonly window: string | null;
}

/** A verdict on a path, in a comparison of two files. */
export interface PathVerdict {
  readonly allowed: boolean;
  readonly line: number | null;
  readonly reason: Verdict["reason"];
  readonly reasonText: string;
}

/** A path on which two files differ. It stands for all paths with the same pair of deciding rules. */
export interface Change {
  readonly agent: string;
  readonly path: string;
  readonly before: PathVerdict;
  readonly after: PathVerdict;
}

/** The changes between two files, up to 1,000. */
export interface Changes {
  readonly changes: readonly Change[];
  /** Whether every path was considered. */
  readonly isComplete: boolean;
}

function robot(value: unknown): object | string {
  if (typeof value === "string") return text(value, "robot");
  if (typeof value !== "object" || value === null) throw wrong("robot", "a name or { names }", value);
  const { names, obeysStar = true } = options(value as { names: string[]; obeysStar?: boolean }, ["names", "obeysStar"]);
  return { names: list(names, "names"), obeys_star: flag(obeysStar, "obeysStar") };
}

/** The bytes of a file that the engine keeps. */
export const KEPT_BYTES = 16 << 20;

/** The bytes that an object takes in addition to those of its file, about. */
const OBJECT_BYTES = 1024;

/** A file in the engine, or its bytes: shared by a `RobotsTxt` and its `Rules`. */
class File {
  readonly slot: Slot;
  readonly url: string | undefined;
  bytes = 0;

  constructor(engine: Engine, body: string | Uint8Array, url: string | undefined) {
    this.slot = new Slot(engine);
    this.slot.save = saveBody;
    this.url = url;
    this.#parse(body);
  }

  #parse(body: string | Uint8Array): void {
    const args = this.url === undefined ? undefined : { url: this.url };
    const number = this.slot.engine.number("robots_txt", 0, args, body);
    this.bytes = Math.min(body.length, KEPT_BYTES) + OBJECT_BYTES;
    this.slot.hold(this, number, this.bytes);
  }

  get number(): number {
    if (this.slot.number === 0) {
      this.#parse(this.slot.saved ?? "");
      this.slot.saved = undefined;
    }
    return this.slot.number;
  }
}

function saveBody(slot: Slot): void {
  slot.saved = slot.engine.bytes("robots_txt_body", slot.number);
}

/**
 * A parsed robots.txt. Every body of up to 64 MiB in UTF-8 is accepted; unreadable lines have no effect. Of a longer one than 16 MiB, the
 * whole lines of these are read, as by the program. One parse serves every robot and dialect.
 *
 * Memory is freed when the object is no longer reachable; `dispose()` or `using` frees it at once.
 */
export class RobotsTxt {
  readonly #file: File;
  #isDisposed = false;

  private constructor(file: File) {
    this.#file = file;
  }

  /** Parses a body: bytes, or a string. `url` is that of the file: only the dialect `www-robotrules` uses it. */
  static parse(body: string | Uint8Array, given?: { url?: string | URL }): RobotsTxt {
    const { url: own } = options(given, ["url"]);
    return new RobotsTxt(new File(engine(), content(body, "body"), optional(own, "url", url)));
  }

  get #number(): number {
    if (this.#isDisposed) throw new RobotsError("disposed", "the RobotsTxt was disposed");
    return this.#file.number;
  }

  get #engine(): Engine {
    return this.#file.slot.engine;
  }

  get #facts(): Pick<RobotsTxt, "sitemaps" | "hosts" | "looksLikeHtml"> {
    return camel(this.#engine.json("robots_txt_facts", this.#number));
  }

  /**
   * Returns the rules of a robot, as its operator reads the file (RFC 9309 for others), or under a dialect, or that of a profile.
   *
   * Throws a `RobotsError` (`invalid_robot`) for an invalid name: `nameOfUserAgent` finds the name in a User-Agent value.
   */
  rules(name: Robot, given?: { dialect?: Dialect; profile?: string }): Rules {
    const { dialect, profile } = options(given, ["dialect", "profile"]);
    const args = {
      robot: robot(name),
      dialect: optional(dialect, "dialect", text),
      profile: optional(profile, "profile", text),
    };
    void this.#number;
    return new Rules(COMPILE, this.#file, args);
  }

  /** The URLs of the sitemaps that the file names, in order, as written. */
  get sitemaps(): string[] {
    return this.#facts.sitemaps;
  }

  /** The values of its `Host` lines, in order. */
  get hosts(): string[] {
    return this.#facts.hosts;
  }

  /** Whether the body begins like an HTML page, such as an error page. */
  get looksLikeHtml(): boolean {
    return this.#facts.looksLikeHtml;
  }

  /** The bytes that were parsed: up to 16 MiB, in whole lines if there are more. */
  get body(): Uint8Array {
    return this.#engine.bytes("robots_txt_body", this.#number);
  }

  /** The URL of the file, if it was given. */
  get url(): string | null {
    return this.#file.url ?? null;
  }

  /** Returns the text of a line by its number from 1; null if there is none. */
  lineText(line: number): string | null {
    return this.#engine.json("robots_txt_line", this.#number, { line: whole(line, "line", 0xffff_ffff) });
  }

  /**
   * Compares the verdicts of this file and a later one over all paths, for some robots; by default for any that no group names. Without
   * a dialect, each robot reads the files as its operator does.
   */
  diff(other: RobotsTxt, given?: { robots?: Robot | readonly Robot[]; dialect?: Dialect }): Changes {
    const { robots, dialect } = options(given, ["robots", "dialect"]);
    if (!(other instanceof RobotsTxt)) throw wrong("other", "a RobotsTxt", other);
    const names = robots === undefined ? undefined : Array.isArray(robots) ? robots.map(robot) : [robot(robots)];
    const isHere = other.#engine === this.#engine;
    const args = { robots: names, dialect: optional(dialect, "dialect", text) };
    const second = isHere ? other : new RobotsTxt(new File(this.#engine, other.body, other.#file.url));
    // To make one again may free the other, but not twice: two files are smaller than what is held.
    void this.#number;
    void second.#number;
    const first = this.#number;
    const raw = this.#engine.json<{ changes: (Omit<Change, "before" | "after"> & Record<"before" | "after", object>)[]; is_complete: boolean }>(
      "robots_txt_diff", first, { ...args, other: second.#file.slot.number },
    );
    if (!isHere) second.dispose();
    const changes = raw.changes.map((change) => ({ ...change, before: camel<PathVerdict>(change.before), after: camel<PathVerdict>(change.after) }));
    return { changes, isComplete: raw.is_complete };
  }

  /** Frees the file. Its `Rules` can still be used. */
  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    if (this.#file.slot.number !== 0 && !this.#engine.isPoisoned) this.#file.slot.evict();
  }

  declare [Symbol.dispose]: () => void;
}

/** Keeps the constructor of `Rules` to this module. */
const COMPILE = Symbol("compile");

/** The rules of one file for one robot under one dialect. */
export class Rules {
  readonly #file: File;
  readonly #args: object;
  readonly #slot: Slot;
  #isDisposed = false;

  /** Called by `RobotsTxt`. Its types name no class of this module, so that those of the engine, and of the DOM, are not needed. */
  constructor(key: typeof COMPILE, file: object, args: object) {
    if (key !== COMPILE) throw new RobotsError("invalid_argument", "Rules are made by RobotsTxt.rules()");
    this.#file = file as File;
    this.#args = args;
    this.#slot = new Slot(this.#file.slot.engine);
    this.#compile();
  }

  #compile(): void {
    const number = this.#slot.engine.number("robots_rules", this.#file.number, this.#args);
    this.#slot.hold(this, number, this.#file.bytes);
  }

  get #number(): number {
    if (this.#slot.number === 0) {
      if (this.#isDisposed) throw new RobotsError("disposed", "the Rules were disposed");
      this.#compile();
    }
    return this.#slot.number;
  }

  get #facts(): Pick<Rules, "dialect" | "hasGroup" | "crawlDelay" | "requestRates" | "visitTime"> & { rules: object[] } {
    return camel(this.#slot.engine.json("robots_rules_facts", this.#number));
  }

  /** Returns whether a URL, or a path that begins with `/`, may be fetched. */
  allowed(target: string | URL | Uint8Array): boolean {
    const { engine } = this.#slot;
    const number = this.#number;
    const quick = typeof target === "string" ? engine.allowed(number, target) : undefined;
    return quick ?? engine.number("robots_rules_allowed", number, undefined, bytesOrUrl(target)) === 1;
  }

  /** Returns whether a URL, or a path that begins with `/`, may be fetched, and why. */
  verdict(target: string | URL | Uint8Array): Verdict {
    const raw = this.#slot.engine.json<{ allowed: boolean; reason: Verdict["reason"]; rule: object | null; explanation: string }>(
      "robots_rules_verdict", this.#number, undefined, bytesOrUrl(target),
    );
    const found = raw.rule === null ? null : camel<Rule>(raw.rule);
    return {
      allowed: raw.allowed,
      reason: raw.reason,
      rule: found,
      line: found?.line ?? null,
      text: found === null ? null : `${found.kind === "allow" ? "Allow" : "Disallow"}: ${found.text}`,
      group: found?.agent ?? null,
      explanation: raw.explanation,
    };
  }

  /** Returns the rules that match a URL: first the one that decides, then each that would decide without those before it. */
  matching(target: string | URL | Uint8Array): Rule[] {
    return this.#slot.engine.json<object[]>("robots_rules_matching", this.#number, undefined, bytesOrUrl(target)).map(camel<Rule>);
  }

  /** The rules, in file order. */
  get rules(): Rule[] {
    return this.#facts.rules.map(camel<Rule>);
  }

  get dialect(): Dialect {
    return this.#facts.dialect;
  }

  /** Whether a group applies to the robot, by name or by `*`. */
  get hasGroup(): boolean {
    return this.#facts.hasGroup;
  }

  /** The seconds between two requests that the robot's groups ask for. */
  get crawlDelay(): number | null {
    return this.#facts.crawlDelay;
  }

  /** The rates at which documents may be requested. */
  get requestRates(): RequestRate[] {
    return this.#facts.requestRates;
  }

  /** The hours for visits, in UTC: `0600-0845`. */
  get visitTime(): string | null {
    return this.#facts.visitTime;
  }

  /** Frees the rules. */
  dispose(): void {
    this.#isDisposed = true;
    this.#slot.free();
  }

  declare [Symbol.dispose]: () => void;
}

disposable(RobotsTxt.prototype);
disposable(Rules.prototype);

function bytesOrUrl(target: unknown): string | Uint8Array {
  return ArrayBuffer.isView(target) ? content(target, "url") : url(target);
}

/** Returns the name of the robot in a User-Agent value; null if it names only a browser, or nothing that can be a robot's name. */
export function nameOfUserAgent(userAgent: string): string | null {
  return engine().json("robots_name", 0, undefined, text(userAgent, "userAgent"));
}
