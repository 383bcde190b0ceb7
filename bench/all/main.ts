import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writePages } from "../report/page-files.js";
import { COMMITTED, outputFolder, readResult, writeResult } from "../report/result-files.js";
import { readBenchScripts } from "./bench-scripts.js";
import { LIMIT_SECONDS, makePlan, type PlannedBench } from "./plan.js";
import { describeTotal, runAll } from "./run-all.js";
import { runBench } from "./run-bench.js";

/**
 * Runs every benchmark in 15 minutes, and writes the tables of docs/explanation/performance.md and bench/NOTEBOOK.md. It goes on after one
 * that fails: the page keeps the table of that one's last run. The exit status is 1 if any failed.
 *
 *   npm run bench:all [-- name…]
 */

const SIZE = "short";
const OUTPUT = outputFolder(SIZE);

// The current benchmark is a process group that is killed when this process exits. A signal alone would not reach it.
process.once("SIGINT", () => process.exit(130));
process.once("SIGTERM", () => process.exit(143));

const chosen = process.argv.slice(2);
const scripts = readBenchScripts();
const plan = makePlan(scripts).filter(({ name }) => chosen.length === 0 || chosen.includes(name));
const unknown = chosen.filter((name) => plan.every((each) => each.name !== name));
if (unknown.length > 0) throw new Error(`no benchmark is named ${unknown.join(", ")}`);

mkdirSync(OUTPUT, { recursive: true });
const { seconds, succeeded, failed } = await runAll(plan, {
  limitSeconds: LIMIT_SECONDS,
  run,
  print: (line) => console.log(line),
});
for (const name of succeeded) writeResult(readResult(OUTPUT, name), COMMITTED);
for (const path of writePages()) console.log(`wrote the tables of ${path}`);
console.log(`${succeeded.length} of ${plan.length} benchmarks succeeded in ${describeTotal(seconds, LIMIT_SECONDS)}`);
for (const [name, problem] of failed) console.log(`failed: ${name}: ${problem}`);
if (failed.size > 0) process.exitCode = 1;

async function run({ name, args }: PlannedBench, limitSeconds: number): Promise<string | undefined> {
  const script = scripts.find((each) => each.name === name);
  if (!script) throw new Error(`package.json has no script for ${name}`);
  const log = join(OUTPUT, `${name}.log`);
  // The result of an earlier run must not be taken for that of this one.
  rmSync(join(OUTPUT, `${name}.json`), { force: true });
  const { problem } = await runBench(script, { size: SIZE, args, limitSeconds, log });
  const found = problem ?? findProblem(name);
  return found && `${found}; its output is in ${log}`;
}

/** Returns why a benchmark that ended with status 0 left no result; undefined if it left one. */
function findProblem(name: string): string | undefined {
  try {
    readResult(OUTPUT, name);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
