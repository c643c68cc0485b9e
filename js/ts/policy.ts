import {
  charset, content, flag, headers, moment, optional, options, seconds, status, text, texts, url, whole, wrong, type HeaderLines, type Moment,
} from "./argument.js";
import { disposable } from "./disposable.js";
import { engine, Slot } from "./engine.js";
import { RobotsError } from "./error.js";

export type Permission = "yes" | "no" | "unknown";
export type AiUse = "allow" | "limited" | "disallow" | "unknown";

/** The place of a statement. */
export interface Source {
  readonly source: "robots_txt" | "robots_fetch" | "header" | "page_header" | "tdmrep" | "meta" | "link" | "rsl" | "page" | "status" | "url";
  /** The line of robots.txt, from 1. */
  readonly line?: number;
  /** The name of a header line, and its index among all, from 0. */
  readonly name?: string;
  readonly header?: number;
  /** The offset in bytes: of a META in the page, or of a statement in the value of a header line. */
  readonly offset?: number;
  readonly entry?: number;
}

/** A statement about a field, and its effect. */
export interface Reason extends Source {
  readonly field: string;
  readonly text: string;
  readonly effect: string;
}

/** A statement or a source that is invalid, suspicious or without effect. */
export interface Warning extends Source {
  readonly kind: string;
  readonly text: string;
}

/** The object that `robots decide --json` writes, without its `file`, `offset` and `status`. */
export interface DecisionJson {
  version: number;
  url: string;
  agent: string;
  profile: string;
  fetch: "allow" | "disallow" | "defer" | "unknown" | "not_applicable";
  page_layer: "seen" | "absent" | "unseen" | "unknown";
  index: "yes" | "no" | "url_only" | "unknown";
  index_if_embedded: boolean;
  follow: Permission;
  archive: Permission;
  snippet: number | null;
  image_preview: "none" | "standard" | "large" | null;
  video_preview: number | null;
  image_index: Permission;
  translate: Permission;
  expires_at: string | null;
  crawl_delay: number | null;
  request_rates: string[];
  visit_time: string | null;
  revisit_after: number | null;
  ai_train: AiUse;
  ai_input: AiUse;
  ai_search: AiUse;
  licenses: string[];
  may_train: Permission;
  reasons: Reason[];
  warnings: Warning[];
}

/** A decision: the permissions of a robot for a page, with reasons. */
export class Decision {
  readonly #json: string;
  readonly url: string;
  readonly agent: string;
  readonly profile: string;
  /** Whether the URL may be fetched. */
  readonly fetch: DecisionJson["fetch"];
  /** Whether the page's own statements were read. */
  readonly pageLayer: DecisionJson["page_layer"];
  readonly index: DecisionJson["index"];
  readonly indexIfEmbedded: boolean;
  readonly follow: Permission;
  readonly archive: Permission;
  /** The number of characters that may be shown; -1 for no limit, null if it is not known. */
  readonly snippet: number | null;
  readonly imagePreview: DecisionJson["image_preview"];
  readonly videoPreview: number | null;
  readonly imageIndex: Permission;
  readonly translate: Permission;
  /** The moment after which the page must not be shown. */
  readonly expiresAt: Date | null;
  /** The seconds between two requests that robots.txt asks for. */
  readonly crawlDelay: number | null;
  readonly requestRates: readonly string[];
  readonly visitTime: string | null;
  /** In days. */
  readonly revisitAfter: number | null;
  readonly aiTrain: AiUse;
  readonly aiInput: AiUse;
  readonly aiSearch: AiUse;
  readonly licenses: readonly string[];
  readonly mayTrain: Permission;
  readonly reasons: readonly Reason[];
  readonly warnings: readonly Warning[];

  /** Reads the JSON of a decision. Throws a `RobotsError` (`invalid_argument`) for anything else. */
  constructor(json: string | DecisionJson) {
    const [text, raw] = parsed(json);
    this.#json = text;
    this.url = raw.url;
    this.agent = raw.agent;
    this.profile = raw.profile;
    this.fetch = raw.fetch;
    this.pageLayer = raw.page_layer;
    this.index = raw.index;
    this.indexIfEmbedded = raw.index_if_embedded;
    this.follow = raw.follow;
    this.archive = raw.archive;
    this.snippet = raw.snippet;
    this.imagePreview = raw.image_preview;
    this.videoPreview = raw.video_preview;
    this.imageIndex = raw.image_index;
    this.translate = raw.translate;
    this.expiresAt = raw.expires_at === null ? null : new Date(raw.expires_at);
    this.crawlDelay = raw.crawl_delay;
    this.requestRates = raw.request_rates;
    this.visitTime = raw.visit_time;
    this.revisitAfter = raw.revisit_after;
    this.aiTrain = raw.ai_train;
    this.aiInput = raw.ai_input;
    this.aiSearch = raw.ai_search;
    this.licenses = raw.licenses;
    this.mayTrain = raw.may_train;
    this.reasons = raw.reasons;
    this.warnings = raw.warnings;
  }

  /** Whether the URL may be fetched now. False if that is not known, or not yet. */
  get mayFetch(): boolean {
    return this.fetch === "allow";
  }

  /** Whether the page may be indexed, with its content. False if that is not known. */
  get mayIndex(): boolean {
    return this.index === "yes";
  }

  /** Whether the links of the page may be followed. False if that is not known. */
  get mayFollow(): boolean {
    return this.follow === "yes";
  }

  /** Whether a copy may be kept and shown. False if that is not known. */
  get mayArchive(): boolean {
    return this.archive === "yes";
  }

  /** Returns the reasons of one field, by its name in JSON: `ai_train`. */
  reasonsFor(field: string): Reason[] {
    return this.reasons.filter((reason) => reason.field === field);
  }

  /** Returns the decision for people: a line for each field with its reasons below it, then the warnings. */
  explain(): string {
    return engine().json("robots_decision_explain", 0, undefined, this.#json);
  }

  /** Returns the object that `robots decide --json` writes, without its `file`, `offset` and `status`. */
  toJSON(): DecisionJson {
    return JSON.parse(this.#json) as DecisionJson;
  }
}

/** Returns the JSON of a decision, and its object. */
function parsed(json: string | DecisionJson): [string, DecisionJson] {
  let cause: unknown;
  try {
    const text = typeof json === "string" ? json : JSON.stringify(json);
    const raw = JSON.parse(text) as DecisionJson | null;
    if (raw?.version === 1 && Array.isArray(raw.reasons) && Array.isArray(raw.warnings)) return [text, raw];
  } catch (error) {
    cause = error;
  }
  throw new RobotsError("invalid_argument", "not the JSON of a decision of version 1", { cause });
}

export interface PolicyOptions {
  /** The name of a built-in profile; by default that of the robot's operator, or else `neutral`. */
  profile?: string;
  /** A profile as TOML, in place of `profile`. */
  profileToml?: string;
  /** Whether decisions have reasons and warnings; by default they do. */
  reasons?: boolean;
  /** Whether pages are read as by a browser that runs scripts; by default not. */
  scripting?: boolean;
  /** The size in bytes of what is known about origins: a full store forgets those that were not looked up recently. */
  storeLimit?: number;
}

/** The outcome of a request for robots.txt: a body, a status without one, or none. */
export interface RobotsOutcome {
  body?: string | Uint8Array | null;
  /** By default 200, if there is a body. */
  status?: number;
  contentType?: string;
  /** The seconds for which the headers allow the response to be kept. */
  freshFor?: number;
  outcome?: "unreachable" | "too_many_redirects";
  /** The time of the request; by default that of the call. With null, the outcome is never stale. */
  at?: Moment;
}

/** A response, as far as it is known. */
export interface PageResponse {
  status?: number;
  headers?: HeaderLines;
  /** The encoding that the response names, in place of that of its Content-Type; for bytes. */
  charset?: string;
  /** The time of the decision; by default that of the call. With null, dates and visit times are not applied. */
  at?: Moment;
  /** The response is not HTML: only its headers count. */
  notHtml?: boolean;
  /** The page was cut before its end. */
  cutShort?: boolean;
  /** The time when the page was fetched: the robots.txt of that time applies, and is never stale. */
  capturedAt?: Date | number;
  /** Licences of RSL by their URLs. Those that robots.txt, a header or the page names decide about AI. */
  licenses?: Readonly<Record<string, string>>;
}

/** The configuration of decisions for one robot under one profile, with what is known about origins: their robots.txt. */
export class Policy {
  readonly #slot: Slot;

  /** Throws a `RobotsError` for an invalid name, such as a whole User-Agent value, and for an unknown profile. */
  constructor(robot: string, given?: PolicyOptions) {
    const { profile, profileToml, reasons, scripting, storeLimit } = options(given, [
      "profile", "profileToml", "reasons", "scripting", "storeLimit",
    ]);
    const args = {
      robot: text(robot, "robot"),
      profile: optional(profile, "profile", text),
      profile_toml: optional(profileToml, "profileToml", text),
      reasons: optional(reasons, "reasons", flag),
      scripting: optional(scripting, "scripting", flag),
      store_limit: optional(storeLimit, "storeLimit", whole),
    };
    this.#slot = new Slot(engine());
    this.#slot.hold(this, this.#slot.engine.number("robots_policy", 0, args));
  }

  get #number(): number {
    if (this.#slot.number === 0) throw new RobotsError("disposed", "the Policy was disposed");
    return this.#slot.number;
  }

  get #facts(): { agent: string; profile: string; meta_names: string[]; known_origins: number } {
    return this.#slot.engine.json("robots_policy_facts", this.#number);
  }

  /** Records the outcome of a request for an origin's robots.txt; `target` is any URL of the origin. */
  learn(target: string | URL, given: RobotsOutcome): void {
    const outcome = options(given, ["body", "status", "contentType", "freshFor", "outcome", "at"]);
    const body = outcome.body === undefined || outcome.body === null ? undefined : content(outcome.body, "body");
    const args = {
      url: url(target),
      has_body: body !== undefined,
      status: optional(outcome.status, "status", status),
      content_type: optional(outcome.contentType, "contentType", text),
      fresh_for: optional(outcome.freshFor, "freshFor", seconds),
      outcome: optional(outcome.outcome, "outcome", text),
      at: moment(outcome.at, "at"),
    };
    this.#slot.engine.json("robots_policy_learn", this.#number, args, body);
  }

  /** Records the tdmrep.json of an origin. One that cannot be read may reserve anything: a warning of decisions says so. */
  learnTdmrep(target: string | URL, body: string | Uint8Array): void {
    this.#slot.engine.json("robots_policy_learn_tdmrep", this.#number, { url: url(target) }, content(body, "body"));
  }

  /** Forgets an origin. */
  forget(target: string | URL): void {
    this.#slot.engine.json("robots_policy_forget", this.#number, undefined, url(target));
  }

  /** Returns the last second in which an origin's robots.txt is fresh; null if the origin or the time is unknown. */
  askAgainAt(target: string | URL): Date | null {
    const time = this.#slot.engine.json<number | null>("robots_policy_ask_again_at", this.#number, undefined, url(target));
    return time === null ? null : new Date(time * 1000);
  }

  /** The number of known origins. */
  get knownOrigins(): number {
    return this.#facts.known_origins;
  }

  get agent(): string {
    return this.#facts.agent;
  }

  get profile(): string {
    return this.#facts.profile;
  }

  /** The names of METAs and header prefixes that apply to the robot. */
  get metaNames(): string[] {
    return this.#facts.meta_names;
  }

  /**
   * Decides about a URL and its response, as far as it is known, by what was learned about its origin.
   *
   * Every URL and page is accepted. `html` is the page, as bytes or a string; without it, the page was not fetched.
   */
  decide(target: string | URL, html?: string | Uint8Array | null, given?: PageResponse): Decision {
    const response = options(given, ["status", "headers", "charset", "at", "notHtml", "cutShort", "capturedAt", "licenses"]);
    const page = html === undefined || html === null ? undefined : content(html, "html");
    const { capturedAt } = response;
    if (capturedAt === null) throw wrong("capturedAt", "a Date or milliseconds since 1970", capturedAt);
    const args = {
      url: url(target),
      has_html: page !== undefined,
      charset: page === undefined ? optional(response.charset, "charset", text) : charset(page, response.charset),
      status: optional(response.status, "status", status),
      headers: optional(response.headers, "headers", headers),
      at: moment(response.at, "at"),
      not_html: optional(response.notHtml, "notHtml", flag),
      cut_short: optional(response.cutShort, "cutShort", flag),
      captured_at: optional(capturedAt, "capturedAt", moment),
      licenses: optional(response.licenses, "licenses", texts),
    };
    return new Decision(this.#slot.engine.text("robots_policy_decide", this.#number, args, page));
  }

  /** Frees the policy, with what it learned. */
  dispose(): void {
    this.#slot.free();
  }

  declare [Symbol.dispose]: () => void;
}

disposable(Policy.prototype);
