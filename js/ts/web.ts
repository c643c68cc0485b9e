import { load, type ModuleSource } from "./init.js";

export type { ModuleSource } from "./init.js";
export * from "./api.js";

/** Loads the module `robots-policy/robots.wasm`, which must be done before anything else is used. */
export function init(module: ModuleSource): Promise<void> {
  return load(module, true);
}
