import { charset, content, headers, list, moment, optional, options, url, type HeaderLines, type Moment } from "./argument.js";
import { camel } from "./camel.js";
import { engine } from "./engine.js";

/** A finding: a mistake in a robots.txt, a page or a header line. */
export interface Finding {
  /** `R` (robots.txt) or `M` (pages and headers) and three digits. */
  readonly code: string;
  readonly name: string;
  readonly severity: "note" | "warning" | "error";
  readonly message: string;
  readonly help: string;
  readonly standard: string;
  /** Whether it is in a header line of the response. */
  readonly header: boolean;
  /** Line and column, from 1. */
  readonly line: number;
  readonly column: number;
  /** In bytes. */
  readonly offset: number;
  readonly length: number;
  readonly relatedLine: number | null;
  readonly findingsOfKind: number;
  /** The number of edits of the fix, 0 without one. */
  readonly edits: number;
  /** The edits that fix it, in bytes; null if a person must decide, or if there are more than 1,000. */
  readonly fix: readonly { readonly offset: number; readonly length: number; readonly text: string }[] | null;
}

/** Returns the findings on a robots.txt, in the order of lines: up to 100 of each kind. */
export function lintRobotsTxt(body: string | Uint8Array): Finding[] {
  return engine().json<object[]>("robots_lint_robots_txt", 0, undefined, content(body, "body")).map(camel<Finding>);
}

export interface LintOptions {
  url?: string | URL;
  headers?: HeaderLines;
  charset?: string;
  /** The names of METAs to examine, in addition to `robots`; by default those of all known robots. */
  names?: string | readonly string[];
  /** Dates before it have passed; by default the time of the call. With null, none has. */
  at?: Moment;
}

/** Returns the findings on a page and its headers: those in headers, then those in the page, up to 100 of each kind. */
export function lintPage(html: string | Uint8Array, given?: LintOptions): Finding[] {
  const { url: own, headers: lines, charset: label, names, at } = options(given, ["url", "headers", "charset", "names", "at"]);
  const page = content(html, "html");
  const args = {
    url: optional(own, "url", url),
    headers: optional(lines, "headers", headers),
    charset: charset(page, label),
    names: optional(names, "names", list),
    at: moment(at, "at"),
  };
  return engine().json<object[]>("robots_lint_page", 0, args, page).map(camel<Finding>);
}
