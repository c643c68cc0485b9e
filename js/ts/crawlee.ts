import { seconds, text, wrong } from "./argument.js";
import { RobotsError } from "./error.js";
import { Decision, Policy, type PolicyOptions } from "./policy.js";
import { KEPT_BYTES } from "./robots-txt.js";
import "./index.js";

/** What the hooks use of crawlee's `Request`. */
export interface CrawlRequest {
  url: string;
  loadedUrl?: string | undefined;
  noRetry?: boolean;
}

/** What the hooks use of crawlee's contexts: those of its crawlers for HTTP have `body` and a response of Node.js; `decide` needs these. */
export interface CrawlContext {
  request: CrawlRequest;
  response?: unknown;
  body?: unknown;
}

export interface CrawlRobotsOptions extends PolicyOptions {
  /** Fetches a robots.txt; by default the global `fetch`, with the robot's name as User-Agent. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** The longest time that a request waits for Crawl-delay, in seconds; by default 60. */
  maxDelay?: number;
  /** The time limit for a request for robots.txt, in seconds; by default 30. At least 1. */
  timeout?: number;
}

/** The pause after the first request for a robots.txt that failed, in milliseconds; it doubles up to the longest one. */
const FIRST_PAUSE = 60_000;
const LONGEST_PAUSE = 3_600_000;

/** The longest `Retry-After` that counts, in milliseconds: a week. */
const LONGEST_RETRY_AFTER = 604_800_000;

/** The shortest lifetime of a robots.txt, in seconds, whatever its headers say. */
const SHORTEST_LIFETIME = 600;

/** The longest time of a timer, in milliseconds: one that is longer ends at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** The bytes of a robots.txt that are read: more than the engine keeps, so that it ignores a line that is cut. */
const MAX_BYTES = KEPT_BYTES + 1;

/**
 * Hooks for crawlee that honour robots.txt, META tags, headers and Crawl-delay.
 *
 * `preNavigationHooks` fetch the robots.txt of a site when it is not known or stale, wait for its Crawl-delay, and throw a `RobotsError`
 * (`disallowed`) for a URL that it does not allow: crawlee then counts the request as failed, and does not retry it. After a request for
 * robots.txt that failed (status 5xx, no response), the next one follows after a pause of 60 seconds, which doubles up to an hour; or
 * after a longer `Retry-After`, up to a week. `Cache-Control` and `Expires` say how long a robots.txt is used, as far as the profile obeys
 * them, but at least ten minutes.
 * `decide(context)` in a handler says what may be done with the page. It is for the crawlers over HTTP, such as HttpCrawler and
 * CheerioCrawler: with a browser, pass the page to `policy.decide`.
 */
export class CrawlRobots {
  readonly policy: Policy;
  readonly #fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly #maxDelay: number;
  /** In milliseconds. */
  readonly #timeout: number;
  readonly #robot: string;
  /** The requests for robots.txt that are under way. */
  readonly #asked = new Map<string, Promise<void>>();
  /** After a request for robots.txt that failed: the pause, and the time from which it may be requested again. */
  readonly #failures = new Map<string, { pause: number; retryAt: number }>();
  /** The times from which a site may be requested again. */
  readonly #next = new Map<string, number>();

  constructor(robot: string, options: CrawlRobotsOptions = {}) {
    const { fetch = globalThis.fetch, maxDelay = 60, timeout = 30, ...rest } = options;
    if (typeof fetch !== "function") throw wrong("fetch", "a function", fetch);
    this.#robot = text(robot, "robot");
    this.policy = new Policy(robot, rest);
    this.#fetch = fetch;
    this.#maxDelay = seconds(maxDelay, "maxDelay");
    this.#timeout = Math.ceil(seconds(timeout, "timeout") * 1000);
    if (this.#timeout < 1000 || this.#timeout > LONGEST_TIMER) {
      throw new RobotsError("invalid_argument", `unexpected timeout ${timeout}: expected seconds from 1 to ${Math.floor(LONGEST_TIMER / 1000)}`);
    }
  }

  readonly preNavigationHooks = [async (context: CrawlContext): Promise<void> => this.#before(context)];

  /**
   * Returns the decision about a page, by its URL after redirects, status, headers and body.
   *
   * Throws a `RobotsError` (`invalid_argument`) for the context of a crawler that uses a browser.
   */
  decide(context: CrawlContext): Decision {
    const { request, body } = context;
    const response = (context.response ?? {}) as { statusCode?: number; rawHeaders?: string[]; headers?: Record<string, string | string[] | undefined> };
    if (typeof response.headers === "function") {
      const instead = "policy.decide(url, await page.content(), { status, headers })";
      throw new RobotsError("invalid_argument", `the response is that of a browser: call ${instead}, with its headersArray() as pairs`);
    }
    const raw = response.rawHeaders;
    const headers = Array.isArray(raw)
      ? raw.flatMap((name, index): [string, string][] => (index % 2 === 0 ? [[name, raw[index + 1] ?? ""]] : []))
      : response.headers ?? {};
    const html = typeof body === "string" || body instanceof Uint8Array ? body : null;
    return this.policy.decide(request.loadedUrl ?? request.url, html, {
      headers,
      ...(response.statusCode !== undefined && { status: response.statusCode }),
    });
  }

  async #before({ request }: CrawlContext): Promise<void> {
    const { origin, protocol } = new URL(request.url);
    if (protocol !== "http:" && protocol !== "https:") return;
    let decision = this.policy.decide(request.url);
    if (this.#isDue(origin)) {
      await this.#learn(origin);
      decision = this.policy.decide(request.url);
    }
    if (!decision.mayFetch) {
      const reason = decision.reasonsFor("fetch")[0]?.text ?? decision.fetch;
      // A retry follows within seconds, and robots.txt is asked for again after a minute or more.
      request.noRetry = true;
      throw new RobotsError("disallowed", `${request.url} is not to be fetched (${decision.fetch}): ${reason}`);
    }
    await this.#wait(origin, decision.crawlDelay ?? 0);
  }

  #isDue(origin: string): boolean {
    // The last second of a fresh robots.txt is a whole one.
    return Date.now() >= (this.#failures.get(origin)?.retryAt ?? this.#freshUntil(origin) + 1000);
  }

  /** Returns the start of the last second in which a robots.txt is fresh. */
  #freshUntil(origin: string): number {
    return this.policy.askAgainAt(origin)?.getTime() ?? 0;
  }

  /** Fetches the robots.txt of an origin, once for all requests that wait for it. */
  async #learn(origin: string): Promise<void> {
    let asked = this.#asked.get(origin);
    if (asked === undefined) {
      asked = this.#ask(origin)
        .then((wait) => this.#pause(origin, wait))
        .finally(() => this.#asked.delete(origin));
      this.#asked.set(origin, asked);
    }
    return asked;
  }

  /** Returns the milliseconds that the response asks to wait. */
  async #ask(origin: string): Promise<number> {
    let response;
    let body;
    try {
      const headers = { "User-Agent": this.#robot };
      response = await this.#fetch(`${origin}/robots.txt`, { headers, signal: AbortSignal.timeout(this.#timeout) });
      body = await limited(response);
    } catch (error) {
      // The whole message, for this error has no code: others name the host.
      const { message } = (error as { cause?: { message?: unknown } } | undefined)?.cause ?? {};
      this.policy.learn(origin, { outcome: message === "redirect count exceeded" ? "too_many_redirects" : "unreachable" });
      return 0;
    }
    const { status, headers } = response;
    const type = headers.get("content-type");
    const freshFor = freshness(headers);
    this.policy.learn(origin, {
      status,
      body,
      ...(type !== null && { contentType: type }),
      ...(freshFor !== undefined && { freshFor: Math.max(freshFor, SHORTEST_LIFETIME) }),
    });
    return retryAfter(headers);
  }

  /** After a failure, which is stale at once, sets the time of the next request for robots.txt. */
  #pause(origin: string, wait: number): void {
    const before = this.#failures.get(origin)?.pause;
    this.#failures.delete(origin);
    if (this.#freshUntil(origin) > Date.now()) return;
    const pause = before === undefined ? FIRST_PAUSE : Math.min(2 * before, LONGEST_PAUSE);
    this.#failures.set(origin, { pause, retryAt: Date.now() + Math.max(pause, wait) });
  }

  async #wait(origin: string, delay: number): Promise<void> {
    const now = Date.now();
    const start = Math.max(now, this.#next.get(origin) ?? 0);
    this.#next.set(origin, start + Math.min(delay, this.#maxDelay) * 1000);
    for (let left = start - now; left > 0; left = start - Date.now()) {
      await new Promise((resolve) => setTimeout(resolve, Math.min(left, LONGEST_TIMER)));
    }
  }
}

/** Returns the seconds for which headers allow a response to be kept; undefined if they do not say (RFC 9111, section 4.2.1). */
function freshness(headers: Headers): number | undefined {
  const control = new Map<string, string>();
  for (const part of (headers.get("cache-control") ?? "").toLowerCase().split(",")) {
    const [name = "", ...value] = part.split("=");
    control.set(name.trim(), value.join("="));
  }
  control.delete("");
  const pragma = control.size > 0 ? "" : headers.get("pragma") ?? "";
  if (control.has("no-store") || control.has("no-cache") || pragma.includes("no-cache")) return 0;
  const expires = headers.get("expires");
  if (!control.has("s-maxage") && !control.has("max-age") && expires === null) return undefined;
  // It is an answer to that request alone.
  if (headers.get("vary") === "*") return 0;
  const age = number(headers.get("age")) || 0;
  // A crawler shares its copies, except of a response that is private.
  const time = (control.has("private") ? undefined : control.get("s-maxage")) ?? control.get("max-age");
  if (time !== undefined) return (number(time) || 0) - age;
  // A date that cannot be read is past.
  return ((date(expires) || 0) - sentAt(headers)) / 1000 - age;
}

/** Returns the milliseconds of a `Retry-After` (RFC 9110, section 10.2.3); 0 without one that can be read. */
function retryAfter(headers: Headers): number {
  const value = headers.get("retry-after");
  const seconds = number(value);
  const wait = Number.isNaN(seconds) ? date(value) - sentAt(headers) : seconds * 1000;
  return Math.min(wait > 0 ? wait : 0, LONGEST_RETRY_AFTER);
}

/** Returns the time of a response by the clock of its server, if it states one. */
const sentAt = (headers: Headers): number => date(headers.get("date")) || Date.now();

/** Returns a date of HTTP (RFC 9110, section 5.6.7), the last form of which names no zone; NaN for another text. */
function date(value: string | null): number {
  const isLastForm = /^[A-Z]\w\w [A-Z]\w\w [ \d]\d [\d:]{8} \d{4}$/.test(value ?? "");
  return isLastForm ? Date.parse(`${value} GMT`) : / GMT$/.test(value ?? "") ? Date.parse(value ?? "") : NaN;
}

/** Returns a number of digits, up to 2^31 (RFC 9111, section 1.2.2); NaN for another text. */
function number(value: string | null): number {
  const digits = /^\s*"?(\d+)"?\s*$/.exec(value ?? "")?.[1];
  return digits === undefined ? NaN : Math.min(Number(digits), 2 ** 31);
}

/** Returns the body of a response, up to the size that is read. */
async function limited(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  while (reader !== undefined && size < MAX_BYTES) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    size += value.length;
  }
  if (size >= MAX_BYTES) await reader?.cancel();
  const body = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    body.set(chunk, offset);
    offset += chunk.length;
  }
  return body.subarray(0, MAX_BYTES);
}
