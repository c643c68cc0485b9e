import { RobotsTxt, type Rules } from "./index.js";
import type { Robot } from "./robots-parser-types.js";

export type { Robot };

/** Relative URLs are compared as if they were of one host. */
const BASE = "http://relative.invalid/";

function parsed(url: string): URL | undefined {
  try {
    return new URL(url, BASE);
  } catch {
    return undefined;
  }
}

const isSameOrigin = (one: URL | undefined, other: URL | undefined): boolean =>
  one?.protocol === other?.protocol && one?.hostname === other?.hostname && one?.port === other?.port;

/** Returns a text as that package takes it: any. */
function wellFormed(value: unknown): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(new TextEncoder().encode(String(value)));
}

class Parser implements Robot {
  readonly #url: URL | undefined;
  readonly #file: RobotsTxt;
  readonly #rules = new Map<string, Rules>();

  constructor(url: string, contents: string) {
    this.#url = parsed(url);
    this.#file = RobotsTxt.parse(wellFormed(contents || ""));
  }

  /** Returns the rules of a robot; a version after its name does not count. */
  #of(ua: string | undefined): Rules {
    const name = wellFormed(ua || "*").split("/", 1)[0]!.trim();
    let rules = this.#rules.get(name);
    if (rules === undefined) {
      // The name alone: that package knows no other names of robots.
      rules = this.#file.rules({ names: [name] }, { dialect: "rfc9309" });
      if (this.#rules.size === 100) this.#rules.clear();
      this.#rules.set(name, rules);
    }
    return rules;
  }

  /** Returns the URL in the form in which it is requested; undefined if it is of another origin. */
  #own(url: string): string | undefined {
    const own = parsed(url);
    if (!isSameOrigin(own, this.#url)) return undefined;
    return own === undefined ? "/" : own.pathname + own.search;
  }

  isAllowed(url: string, ua?: string): boolean | undefined {
    const own = this.#own(url);
    return own === undefined ? undefined : this.#of(ua).allowed(own);
  }

  isDisallowed(url: string, ua?: string): boolean {
    return !this.isAllowed(url, ua);
  }

  getMatchingLineNumber(url: string, ua?: string): number {
    const own = this.#own(url);
    return own === undefined ? -1 : this.#of(ua).verdict(own).line ?? -1;
  }

  getCrawlDelay(ua?: string): number | undefined {
    return this.#of(ua).crawlDelay ?? undefined;
  }

  getSitemaps(): string[] {
    return this.#file.sitemaps;
  }

  getPreferredHost(): string | null {
    return this.#file.hosts.at(-1)?.toLowerCase() ?? null;
  }
}

/** Parses a robots.txt: a drop-in for the package robots-parser. */
export default function robotsParser(url: string, robotstxt: string): Robot {
  return new Parser(url, robotstxt);
}
