import { wrong } from "./argument.js";
import { Engine, provide, type Exports } from "./engine.js";
import { RobotsError } from "./error.js";

/** The module: compiled, its bytes, or a response that has them. */
export type ModuleSource = WebAssembly.Module | ArrayBuffer | ArrayBufferView | Response | PromiseLike<Response>;

export async function load(source: ModuleSource, whole: boolean): Promise<void> {
  const value = await source;
  let module: WebAssembly.Module;
  try {
    module = await compiled(value);
    // Fails here, and not at the first use, if it is another module.
    const instance = await WebAssembly.instantiate(module, {});
    new Engine(instance.exports as unknown as Exports);
  } catch (cause) {
    if (cause instanceof RobotsError) throw cause;
    throw new RobotsError("not_ready", "the value is not the module of this version of robots-policy", { cause });
  }
  provide(() => module, whole);
}

async function compiled(value: Awaited<ModuleSource>): Promise<WebAssembly.Module> {
  if (value instanceof WebAssembly.Module) return value;
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return WebAssembly.compile(value as BufferSource);
  if (typeof (value as Response)?.arrayBuffer === "function") {
    if (!value.ok) throw new RobotsError("not_ready", `the response with the module has status ${value.status}`);
    return WebAssembly.compile(await value.arrayBuffer());
  }
  throw wrong("module", "a WebAssembly.Module, its bytes, or a Response", value);
}
