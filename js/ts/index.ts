import { provide } from "./engine.js";
import { readFile } from "./folder.js";

provide(() => new WebAssembly.Module(readFile("robots.wasm") as BufferSource), true);

export * from "./api.js";
