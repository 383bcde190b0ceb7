import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { describeEnd } from "../src/support/processes/child-end.js";
import { ChildGroup } from "../src/support/processes/child-group.js";

/**
 * Runs every bench of package.json in its smoke size, and checks its outcome, not its times: it ends with status 0 and prints a table with
 * a number in each place.
 *
 *   npm run bench:smoke [-- script…]
 */

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const AT_ONCE = Math.min(2, availableParallelism());
/** Far longer than a smoke run takes on a busy machine. */
const LIMIT_MS = 600_000;
/** This one, and the one that installs an engine of 6 GB. */
const LEFT_OUT = new Set(["bench:smoke", "bench:real"]);
const BUILD = /^npm run build\S* && /;

// A bench is a process group that is killed when this process exits. A signal alone would not reach it.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8")) as { scripts: Record<string, string> };
const chosen = process.argv.slice(2);
const waiting = Object.keys(scripts).filter(
  (name) => /^bench(:|$)/.test(name) && !LEFT_OUT.has(name) && (chosen.length === 0 || chosen.includes(name)),
);
if (waiting.length === 0) throw new Error(`no bench is named ${chosen.join(", ")}`);
await Promise.all(Array.from({ length: AT_ONCE }, work));

async function work(): Promise<void> {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const began = performance.now();
    const { ended, output } = await run((scripts[name] ?? "").replace(BUILD, ""));
    const problem = ended === "status 0" ? findProblem(output) : `it ended with ${ended}`;
    console.log(`${name}: ${problem ?? "ok"} (${((performance.now() - began) / 1000).toFixed(0)} s)`);
    if (problem === undefined) continue;
    console.log(output);
    process.exitCode = 1;
  }
}

async function run(command: string): Promise<{ readonly ended: string; readonly output: string }> {
  const child = spawn("sh", ["-c", `exec ${command}`], {
    cwd: ROOT,
    env: { ...process.env, PATH: `${ROOT}node_modules/.bin:${process.env["PATH"]}`, BENCH_SIZE: "smoke" },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const group = new ChildGroup(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const limit = setTimeout(() => group.kill(), LIMIT_MS);
  const ended = await group.ended;
  clearTimeout(limit);
  return { ended: describeEnd(ended), output };
}

/** Returns why this is not the output of a bench that worked; undefined if it is. */
function findProblem(output: string): string | undefined {
  if (!/^\|.*\d.*\|$/m.test(output)) return "it printed no table";
  const nothing = /\b(NaN|undefined|Infinity|failed)\b/.exec(output)?.[0];
  return nothing && `it printed "${nothing}"`;
}
