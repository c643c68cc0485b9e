import { RobotsError } from "./error.js";

/** Header lines: `Headers`, an object, or pairs of names and values. */
export type HeaderLines =
  | Headers
  | Iterable<readonly [string, string | readonly string[]]>
  | { readonly [name: string]: string | readonly string[] | undefined };

/** A moment: a `Date`, or milliseconds since 1970 as of `Date.now()`. `null`: no clock. */
export type Moment = Date | number | null;

const tag = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1);

function describe(value: unknown): string {
  if (value === null) return "null";
  return typeof value === "object" ? tag(value) : typeof value;
}

export function wrong(name: string, expected: string, value: unknown): RobotsError {
  return new RobotsError("invalid_argument", `${name} is ${describe(value)}: expected ${expected}`);
}

/** Returns a text without lone surrogates, which have no UTF-8. */
export function wellFormed(value: string, name: string): string {
  const isGood = typeof value.isWellFormed === "function" ? value.isWellFormed() : !/\p{Surrogate}/u.test(value);
  if (!isGood) throw new RobotsError("invalid_argument", `${name} has a lone surrogate: pass the bytes instead`);
  return value;
}

export function text(value: unknown, name: string): string {
  if (typeof value !== "string") throw wrong(name, "a string", value);
  return wellFormed(value, name);
}

export function url(value: unknown, name = "url"): string {
  if (typeof value !== "string" && tag(value) === "URL") return String((value as URL).href);
  if (typeof value !== "string") throw wrong(name, "a string or URL", value);
  return wellFormed(value, name);
}

export function content(value: unknown, name: string): string | Uint8Array {
  if (typeof value === "string") return wellFormed(value, name);
  if (!ArrayBuffer.isView(value) || tag(value) !== "Uint8Array") throw wrong(name, "a string or Uint8Array", value);
  const bytes = value as Uint8Array;
  if (bytes.byteLength === 0) {
    // Without its buffer, or outside of a buffer that became smaller, it looks like an empty one, but for this.
    try {
      bytes.at(0);
    } catch {
      throw new RobotsError("invalid_argument", `the buffer of ${name} is detached, or too small now`);
    }
  }
  return bytes;
}

/** Reads options: an object with known keys only, or nothing. */
export function options<T extends object>(value: T | undefined, keys: readonly (keyof T & string)[]): Partial<T> {
  if (value === undefined) return {};
  if (typeof value !== "object" || value === null) throw wrong("options", "an object", value);
  for (const key of Object.keys(value)) {
    if (!(keys as readonly string[]).includes(key)) {
      throw new RobotsError("invalid_argument", `unknown option ${JSON.stringify(key)}: expected ${keys.join(", ")}`);
    }
  }
  return value;
}

export const optional = <T, R>(value: T | undefined, name: string, read: (value: T, name: string) => R) =>
  value === undefined ? undefined : read(value, name);

export function flag(value: unknown, name: string): boolean {
  if (typeof value !== "boolean") throw wrong(name, "true or false", value);
  return value;
}

export function whole(value: unknown, name: string, most = Number.MAX_SAFE_INTEGER): number {
  if (typeof value !== "number") throw wrong(name, "a number", value);
  if (!Number.isInteger(value) || value < 0 || value > most) {
    throw new RobotsError("invalid_argument", `unexpected ${name} ${value}: expected a whole number from 0 to ${most}`);
  }
  return value;
}

export const status = (value: unknown, name: string): number => whole(value, name, 65_535);

export function seconds(value: unknown, name: string): number {
  if (typeof value !== "number") throw wrong(name, "a number", value);
  if (!(value >= 0 && value < Infinity)) {
    throw new RobotsError("invalid_argument", `unexpected ${name} ${value}: expected seconds, not negative`);
  }
  return value;
}

/** Returns a moment in whole seconds since 1970; by default that of the call. */
export function moment(value: Moment | undefined, name: string): number | undefined {
  if (value === null) return undefined;
  const time = value === undefined ? Date.now() : tag(value) === "Date" ? (value as Date).getTime() : value;
  if (typeof time !== "number") throw wrong(name, "a Date, milliseconds since 1970, or null", value);
  if (!(Math.abs(time) <= 8.64e15)) throw new RobotsError("invalid_argument", `${name} is not a time: ${time}`);
  return Math.floor(time / 1000);
}

export function list(value: unknown, name: string): string[] {
  const items = typeof value === "string" ? [value] : value;
  if (!Array.isArray(items)) throw wrong(name, "a string or an array of strings", value);
  return items.map((item) => text(item, name));
}

/** Returns the keys and texts of an object as pairs. */
export function texts(value: unknown, name: string): [string, string][] {
  if (typeof value !== "object" || value === null) throw wrong(name, "an object of strings", value);
  return Object.entries(value).map(([key, item]) => [wellFormed(key, name), text(item, name)]);
}

/** Returns header lines as pairs; several values of one name are several lines. */
export function headers(value: HeaderLines, name: string): [string, string][] {
  if (typeof value !== "object" || value === null) throw wrong(name, "Headers, an object or pairs", value);
  const lines: [string, string][] = [];
  const isIterable = typeof (value as Iterable<unknown>)[Symbol.iterator] === "function";
  for (const pair of isIterable ? (value as Iterable<unknown>) : Object.entries(value)) {
    if (!Array.isArray(pair) || pair.length !== 2) throw wrong(`a line of ${name}`, "a pair of name and value", pair);
    const [line, values] = pair as [unknown, unknown];
    if (values === undefined) continue;
    for (const item of Array.isArray(values) ? values : [values]) {
      lines.push([text(line, `a name in ${name}`), text(item, `the value of ${String(line)} in ${name}`)]);
    }
  }
  return lines;
}

/** Returns the label of the encoding. A string was decoded: what its page says about its encoding does not apply. */
export function charset(body: string | Uint8Array, label: string | undefined): string | undefined {
  if (typeof body !== "string") return optional(label, "charset", text);
  if (label !== undefined) {
    throw new RobotsError("invalid_argument", "charset applies to bytes, and the page is a string: pass one of them");
  }
  return "utf-8";
}
