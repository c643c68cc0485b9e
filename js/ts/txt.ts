import { provide } from "./engine.js";
import { readFile } from "./folder.js";

provide(() => new WebAssembly.Module(readFile("txt.wasm") as BufferSource), false);

export * from "./api-txt.js";
