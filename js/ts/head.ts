import { charset, content, flag, optional, options, text, wellFormed } from "./argument.js";
import { camel } from "./camel.js";
import { disposable } from "./disposable.js";
import { engine, Slot } from "./engine.js";
import { RobotsError } from "./error.js";

/** One item of a list of directives. */
export interface Directive {
  /** The item as written, without white space around it. */
  readonly text: string;
  /** Its offset in the list, in bytes. */
  readonly offset: number;
  readonly kind:
    | "flags" | "max-snippet" | "max-image-preview" | "max-video-preview" | "unavailable_after" | "invalid" | "unknown";
  /** Of flags their names (`noindex, nofollow` for `none`); of limits a number, -1 for none; of times seconds since 1970. */
  readonly value: string | number | null;
}

/** A META of a page. Offsets are in bytes; those of a string are in its UTF-8. */
export interface Meta {
  readonly offset: number;
  /** The offset after its `>`; null if it is not known (UTF-16, ISO-2022-JP). */
  readonly end: number | null;
  readonly placement: "head" | "body";
  readonly name: string | null;
  /** Empty if there is none. */
  readonly content: string;
  readonly attributes: { readonly [name: string]: string };
  readonly directives: readonly Directive[];
}

/** What ended the HEAD. */
export interface HeadEnd {
  readonly by: "tag" | "text" | "end_of_page" | "limit";
  /** The name of the tag, in lower case. */
  readonly name?: string;
  readonly offset?: number;
  readonly limit?: string;
}

/** The facts of a page: its METAs in order, its title and canonical link. */
export interface PageFacts {
  readonly metas: readonly Meta[];
  readonly title: string | null;
  readonly description: string | null;
  readonly keywords: readonly string[];
  /** The URL of the first link with `rel=canonical`, as written. */
  readonly canonical: string | null;
  /** The time after which the author asks a robot to return, in days. */
  readonly revisitAfter: number | null;
  readonly encoding: string;
  readonly encodingSource: string;
  readonly end: HeadEnd;
  /** The number of bytes that were read; null if it is not known. */
  readonly consumed: number | null;
}

export interface HeadOptions {
  /** The encoding that the response names, for bytes. */
  charset?: string;
  /** Whether METAs in BODY are read, too. */
  document?: boolean;
}

/** Reads the HEAD of a page, no further than its end. */
export function readHead(html: string | Uint8Array, given?: HeadOptions): PageFacts {
  const { charset: label, document } = options(given, ["charset", "document"]);
  const page = content(html, "html");
  const args = { charset: charset(page, label), document: optional(document, "document", flag) };
  return camel(engine().json("robots_head", 0, args, page));
}

/**
 * Reads the HEAD of a page that arrives in chunks, which are all bytes or all strings.
 *
 * `feed` returns true when the reader has enough: the rest need not be fetched. `finish` returns the facts, and ends the reader.
 */
export class HeadReader {
  readonly #options: Partial<HeadOptions>;
  #slot: Slot | undefined;
  #isText: boolean | undefined;
  /** A surrogate at the end of a string, whose other half is in the next one. */
  #half = "";
  #isDone = false;
  #isEnded = false;

  constructor(given?: HeadOptions) {
    const { charset: label, document } = options(given, ["charset", "document"]);
    optional(label, "charset", text);
    optional(document, "document", flag);
    this.#options = { ...(label !== undefined && { charset: label }), ...(document !== undefined && { document }) };
  }

  /** Whether the reader has enough. */
  get done(): boolean {
    return this.#isDone;
  }

  /** Reads a chunk. Returns whether the reader has enough. */
  feed(chunk: string | Uint8Array): boolean {
    this.#check();
    const isText = typeof chunk === "string";
    if (this.#isText !== undefined && isText !== this.#isText) {
      throw new RobotsError("invalid_argument", "the chunks are strings and bytes: pass one kind");
    }
    let part = chunk;
    let half = "";
    if (typeof part === "string") {
      part = this.#half + part;
      if (/[\ud800-\udbff]$/.test(part)) {
        half = part.slice(-1);
        part = part.slice(0, -1);
      }
    }
    part = content(part, "chunk");
    const slot = this.#reader(part);
    this.#isText = isText;
    this.#half = half;
    this.#isDone = slot.engine.number("robots_head_reader_feed", slot.number, undefined, part) === 1;
    return this.#isDone;
  }

  /** Returns what was read. The reader cannot be used again. */
  finish(): PageFacts {
    this.#check();
    // A reader that has enough needs no other half.
    if (!this.#isDone) wellFormed(this.#half, "the last chunk");
    const slot = this.#reader();
    this.#isEnded = true;
    try {
      return camel(slot.engine.json("robots_head_reader_finish", slot.number));
    } finally {
      slot.free();
    }
  }

  /** Ends the reader. */
  dispose(): void {
    this.#isEnded = true;
    this.#slot?.free();
  }

  declare [Symbol.dispose]: () => void;

  #check(): void {
    if (this.#isEnded) throw new RobotsError("disposed", "the HeadReader has ended");
  }

  /** Returns the reader, which is made for the kind of the first chunk; for no chunk if there is none. */
  #reader(chunk?: string | Uint8Array): Slot {
    if (this.#slot === undefined) {
      const args = chunk === undefined ? this.#options : { ...this.#options, charset: charset(chunk, this.#options.charset) };
      const slot = new Slot(engine());
      slot.hold(this, slot.engine.number("robots_head_reader", 0, args));
      this.#slot = slot;
    }
    return this.#slot;
  }
}

disposable(HeadReader.prototype);
