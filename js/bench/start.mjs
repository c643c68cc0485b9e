// Prints the milliseconds that the first call takes in a fresh process, with reading and compiling the module: node bench/start.mjs
import { execFileSync } from "node:child_process";

for (const entry of ["robots-policy", "robots-policy/txt"]) {
  const source = `import { RobotsTxt } from "${entry}"; const start = performance.now(); RobotsTxt.parse(""); console.log(performance.now() - start);`;
  const times = Array.from({ length: 15 }, () => Number(execFileSync(process.execPath, ["--input-type=module", "--eval", source], { cwd: import.meta.dirname })));
  console.log(`${entry}: ${Math.min(...times).toFixed(1)} ms`);
}
