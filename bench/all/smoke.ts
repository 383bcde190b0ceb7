import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { outputFolder, readResult } from "../report/result-files.js";
import { type BenchScript, readBenchScripts } from "./bench-scripts.js";
import { runBench } from "./run-bench.js";

/**
 * Runs every benchmark of package.json in its smoke size, and checks its outcome, not its times: it ends with status 0,
 * prints a table with a number in each place, and writes a valid JSON file.
 *
 *   npm run bench:smoke [-- script…]
 */

const OUTPUT = outputFolder("smoke");
const AT_ONCE = Math.min(2, availableParallelism());
/** Far longer than a smoke run takes on a busy machine. */
const LIMIT_SECONDS = 600;

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
const chosen = process.argv.slice(2);
const waiting = readBenchScripts().filter(({ script }) => chosen.length === 0 || chosen.includes(script));
if (waiting.length === 0) throw new Error(`no benchmark is named ${chosen.join(", ")}`);
mkdirSync(OUTPUT, { recursive: true });
await Promise.all(Array.from({ length: AT_ONCE }, work));

async function work(): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const log = join(OUTPUT, `${next.name}.log`);
    rmSync(join(OUTPUT, `${next.name}.json`), { force: true });
    const { seconds, problem } = await runBench(next, { size: "smoke", limitSeconds: LIMIT_SECONDS, log });
    const output = readFileSync(log, "utf8");
    const found = problem ?? findProblem(next, output);
    console.log(`${next.script}: ${found ?? "ok"} (${seconds.toFixed(0)} s)`);
    if (found === undefined) continue;
    console.log(output);
    process.exitCode = 1;
  }
}

/** Returns why this is not the outcome of a benchmark that worked; undefined if it is. */
function findProblem({ name }: BenchScript, output: string): string | undefined {
  if (!/^\|.*\d.*\|$/m.test(output)) return "it printed no table";
  const nothing = /\b(NaN|undefined|Infinity|failed)\b/.exec(output)?.[0];
  if (nothing !== undefined) return `it printed "${nothing}"`;
  try {
    const { tables, options } = readResult(OUTPUT, name);
    if (options.size !== "smoke") return `its JSON file is of a ${options.size} run`;
    const empty = tables.find(({ rows }) => rows.length === 0);
    return empty && `its JSON file has no row in the table ${empty.name}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
