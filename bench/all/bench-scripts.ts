import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Scripts that run other benchmarks, and the one that needs an engine: its installation takes 6 GB. */
const LEFT_OUT = new Set(["bench:all", "bench:smoke", "bench:real"]);
const BUILD = /^npm run build\S* && /;

/** A benchmark of package.json. */
export interface BenchScript {
  /** Of its result: the script's name without `bench:`. */
  readonly name: string;
  /** Of the npm script. */
  readonly script: string;
  /** Its command line without the build, which every benchmark would repeat. */
  readonly command: string;
}

/** Returns the benchmarks of package.json that need no engine. */
export function readBenchScripts(): BenchScript[] {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  return Object.entries(scripts)
    .filter(([script]) => /^bench(:|$)/.test(script) && !LEFT_OUT.has(script))
    .map(([script, command]) => ({
      name: script.replace(/^bench:/, ""),
      script,
      command: command.replace(BUILD, ""),
    }));
}
