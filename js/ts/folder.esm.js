import { readFileSync } from "node:fs";

export const readFile = (name) => readFileSync(new URL(`../${name}`, import.meta.url));
