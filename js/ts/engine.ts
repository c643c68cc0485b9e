import { wrong } from "./argument.js";
import { RobotsError, type ErrorCode } from "./error.js";

/** The version of the interface of the module. */
const INTERFACE = 1;

/** The largest argument, in bytes. */
const MAX_BYTES = 64 << 20;

/** The size of the buffer for arguments that is kept between calls. */
const KEPT_BYTES = 1 << 20;

/** The bytes that parsed files and compiled rules may hold: then the oldest are freed, and made again when they are used. */
const HELD_BYTES = 48 << 20;

type Call = (object: number, argumentsLength: number, bodyLength: number) => number;

/** The exports of the module: README.md describes them. */
export interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  robots_interface(): number;
  robots_input(size: number): number;
  robots_output(): number;
  robots_free(object: number): number;
  readonly [name: `robots_${string}`]: unknown;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Frees the object of a holder that was not disposed. */
const registry = new FinalizationRegistry<Slot>((slot) => slot.free());

/** The place of an object in the memory of an engine. */
export class Slot {
  readonly engine: Engine;
  number = 0;
  /** What the object holds, about; 0 if it cannot be made again. */
  bytes = 0;
  /** Called before the object is freed to save memory. */
  save: ((slot: Slot) => void) | undefined;
  saved: Uint8Array | undefined;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  /** Takes an object. It is freed when `holder` is no longer reachable. */
  hold(holder: object, number: number, bytes = 0): void {
    this.number = number;
    this.bytes = bytes;
    registry.register(holder, this, this);
    if (bytes > 0) this.engine.count(this);
  }

  free(): void {
    if (this.number === 0) return;
    registry.unregister(this);
    this.engine.free(this);
    this.number = 0;
  }

  /** Frees the object, which can be made again. */
  evict(): void {
    this.save?.(this);
    this.free();
  }
}

/** An instance of the module. */
export class Engine {
  readonly #exports: Exports;
  readonly #calls: Record<string, Call>;
  readonly #held = new Set<Slot>();
  #heldBytes = 0;
  #memory = new Uint8Array(0);
  #input = 0;
  #capacity = 0;
  #failure: unknown;

  constructor(exports: Exports) {
    if (typeof exports.robots_interface !== "function" || exports.robots_interface() !== INTERFACE) {
      throw new RobotsError("not_ready", "the module is not that of this version of robots-policy");
    }
    this.#exports = exports;
    this.#calls = exports as unknown as Record<string, Call>;
  }

  /** Whether it failed, and cannot be used again. */
  get isPoisoned(): boolean {
    return this.#failure !== undefined;
  }

  count(slot: Slot): void {
    this.#held.add(slot);
    this.#heldBytes += slot.bytes;
    for (const oldest of this.#held) {
      if (this.#heldBytes <= HELD_BYTES || oldest === slot) break;
      oldest.evict();
    }
  }

  free(slot: Slot): void {
    if (this.#held.delete(slot)) this.#heldBytes -= slot.bytes;
    if (!this.isPoisoned) this.#run(() => this.#exports.robots_free(slot.number));
  }

  /** Calls a function that returns a number that is not negative. */
  number(name: string, object: number, args?: object, body?: string | Uint8Array): number {
    if (this.isPoisoned) throw this.#poison(this.#failure);
    const call = this.#calls[name];
    if (call === undefined) throw new RobotsError("not_ready", `the module has no ${name}: load robots.wasm`);
    const argsLength = args === undefined ? 0 : this.#put(JSON.stringify(args), 0, "the arguments");
    const bodyLength = body === undefined ? 0 : this.#put(body, argsLength, "the body");
    const result = this.#run(() => call(object, argsLength, bodyLength));
    if (this.#capacity > KEPT_BYTES) this.#reserve(0);
    if (result < 0) throw this.#error(-result);
    return result;
  }

  /** Calls a function that returns bytes. */
  bytes(name: string, object: number, args?: object, body?: string | Uint8Array): Uint8Array {
    const length = this.number(name, object, args, body);
    return this.#output(length).slice();
  }

  /** Calls a function that returns JSON. */
  text(name: string, object: number, args?: object, body?: string | Uint8Array): string {
    const length = this.number(name, object, args, body);
    return decoder.decode(this.#output(length));
  }

  json<T>(name: string, object: number, args?: object, body?: string | Uint8Array): T {
    return JSON.parse(this.text(name, object, args, body)) as T;
  }

  /** Returns whether rules allow a URL that is a short ASCII text, without the costs of `number`; undefined for another. */
  allowed(rules: number, url: string): boolean | undefined {
    const length = url.length;
    if (length > this.#capacity || length >= 512 || this.isPoisoned) return undefined;
    const memory = this.#view();
    for (let index = 0; index < length; index += 1) {
      const code = url.charCodeAt(index);
      if (code > 127) return undefined;
      memory[this.#input + index] = code;
    }
    let result;
    try {
      result = this.#calls["robots_rules_allowed"]!(rules, 0, length);
    } catch (error) {
      throw this.#poison(error);
    }
    if (result < 0) throw this.#error(-result);
    return result === 1;
  }

  #poison(cause: unknown): RobotsError {
    this.#failure = cause ?? new Error("unknown");
    // The end of the stack is in V8 and JavaScriptCore a RangeError, in SpiderMonkey an InternalError.
    const advice = cause instanceof WebAssembly.RuntimeError ? "report this with the input" : "the stack may have ended";
    const message = `the engine failed, and what it held is lost: make new objects (${advice})`;
    return new RobotsError("poisoned", message, { cause });
  }

  /** Calls the module. A trap poisons the engine, and so does the end of the stack, which interrupts it anywhere. */
  #run<T>(call: () => T): T {
    try {
      return call();
    } catch (error) {
      throw this.#poison(error);
    }
  }

  #view(): Uint8Array {
    // The buffer is another one after the memory grew.
    if (this.#memory.byteLength === 0) this.#memory = new Uint8Array(this.#exports.memory.buffer);
    return this.#memory;
  }

  /** Returns a part of the memory. An address past 2 GiB comes as a negative number. */
  #part(address: number, length: number): Uint8Array {
    const start = address >>> 0;
    const memory = this.#view();
    if (start + length > memory.length) throw this.#poison(new WebAssembly.RuntimeError(`${length} bytes at ${start} are outside of the memory`));
    return memory.subarray(start, start + length);
  }

  #output(length: number): Uint8Array {
    return this.#part(this.#run(() => this.#exports.robots_output()), length);
  }

  #error(length: number): RobotsError {
    const { code, message } = JSON.parse(decoder.decode(this.#output(length))) as { code: string; message: string };
    return new RobotsError(code === "no_object" ? "disposed" : (code as ErrorCode), message);
  }

  /** Makes the buffer at least `size` bytes, and keeps the first `kept` of it. */
  #reserve(size: number, kept = 0): void {
    if (size <= this.#capacity && this.#capacity <= KEPT_BYTES) return;
    const capacity = Math.max(size, 1 << 14);
    const before = kept > 0 ? this.#view().slice(this.#input, this.#input + kept) : undefined;
    this.#capacity = 0;
    const address = this.#run(() => this.#exports.robots_input(capacity));
    if (address === 0) throw new RobotsError("out_of_memory", `no memory for an argument of ${size} bytes`);
    this.#input = this.#part(address, capacity).byteOffset;
    this.#capacity = capacity;
    if (before !== undefined) this.#view().set(before, this.#input);
  }

  /** Writes a text or bytes at an offset of the buffer. Returns its length in bytes. */
  #put(value: string | Uint8Array, offset: number, name: string): number {
    const { length } = value;
    const check = (size: number): number => {
      if (size <= MAX_BYTES) return size;
      throw new RobotsError("too_large", `${name}: ${size} bytes are more than ${MAX_BYTES}`);
    };
    // A string has at least as many bytes in UTF-8.
    check(length);
    if (typeof value !== "string") {
      this.#reserve(offset + length, offset);
      this.#view().set(value, this.#input + offset);
      return length;
    }
    // Most texts are ASCII; others are written again if the space was not enough.
    for (const most of [length < 4096 ? length * 3 : length, length * 3]) {
      this.#reserve(offset + most, offset);
      const space = this.#view().subarray(this.#input + offset, this.#input + this.#capacity);
      const { read, written } = encoder.encodeInto(value, space);
      if (read === length) return check(written);
    }
    throw wrong(name, "a text", value);
  }
}

let compile: (() => WebAssembly.Module) | undefined;
let isWhole = false;
let current: Engine | undefined;

/** Sets the module, which is compiled when it is first needed. A whole one replaces that of robots.txt alone. */
export function provide(module: () => WebAssembly.Module, whole: boolean): void {
  if (compile !== undefined && isWhole && !whole) return;
  compile = module;
  isWhole = whole;
  current = undefined;
}

/** Returns the engine for new objects. One that failed is replaced. */
export function engine(): Engine {
  if (current === undefined || current.isPoisoned) {
    if (compile === undefined) {
      throw new RobotsError("not_ready", "the module is not loaded: call and await init(module) first");
    }
    const instance = new WebAssembly.Instance(compile(), {});
    current = new Engine(instance.exports as unknown as Exports);
  }
  return current;
}
