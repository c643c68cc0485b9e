import { wrong } from "./argument.js";
import { Engine, provide, type Exports } from "./engine.js";

/** The module: compiled, its bytes, or a response that has them. */
export type ModuleSource = WebAssembly.Module | BufferSource | Response | PromiseLike<Response>;

export async function load(source: ModuleSource, whole: boolean): Promise<void> {
  const value = await source;
  const module = await compiled(value);
  // Fails here, and not at the first use, if it is another module.
  const instance = await WebAssembly.instantiate(module, {});
  new Engine(instance.exports as unknown as Exports);
  provide(() => module, whole);
}

async function compiled(value: WebAssembly.Module | BufferSource | Response): Promise<WebAssembly.Module> {
  if (value instanceof WebAssembly.Module) return value;
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return WebAssembly.compile(value as BufferSource);
  if (typeof (value as Response)?.arrayBuffer === "function") {
    if (!value.ok) throw new Error(`the response with the module has status ${value.status}`);
    return WebAssembly.compile(await value.arrayBuffer());
  }
  throw wrong("module", "a WebAssembly.Module, its bytes, or a Response", value);
}
