// Runs every benchmark of package.json, and the soak, in its smoke size (bench/sized.ts) and checks its outcome, not its times: it ends
// with status 0, prints a table and has a number in each place. Benchmarks named as arguments run alone. Needs dist/.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const OWN_NAME = "bench:smoke";
const AT_ONCE = Math.min(2, availableParallelism());

const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8"));
const chosen = process.argv.slice(2);
const waiting = Object.entries(scripts).filter(
  ([name]) => /^(bench(:|$)|soak$)/.test(name) && name !== OWN_NAME && (chosen.length === 0 || chosen.includes(name)),
);
if (waiting.length === 0) throw new Error(`no benchmark is named ${chosen.join(", ")}`);
await Promise.all(Array.from({ length: AT_ONCE }, work));

async function work() {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const [name, command] = next;
    const started = performance.now();
    const { code, output, errors } = await run(command.replace("npm run build && ", ""));
    const problem = code === 0 ? problemOf(output) : `it ended with status ${code}`;
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    process.stdout.write(`${name}: ${problem ?? "ok"} (${seconds} s)\n`);
    if (problem === undefined) continue;
    process.stdout.write(`${output}${errors}\n`);
    process.exitCode = 1;
  }
}

async function run(command) {
  const path = `${ROOT}node_modules/.bin:${process.env.PATH}`;
  const env = { ...process.env, PATH: path, BENCH_SMOKE: "1" };
  const child = spawn("sh", ["-c", command], { cwd: ROOT, env, stdio: ["ignore", "pipe", "pipe"] });
  const closed = new Promise((resolve) => child.once("close", resolve));
  const texts = [child.stdout, child.stderr].map(async (stream) => {
    let text = "";
    for await (const part of stream.setEncoding("utf8")) text += part;
    return text;
  });
  const [output, errors] = await Promise.all(texts);
  return { code: await closed, output, errors };
}

/** Why an output is not that of a benchmark that worked; undefined if it is. */
function problemOf(output) {
  if (!/^[|│].*\d.*[|│]$/m.test(output)) return "it printed no table";
  const nothing = /\b(NaN|undefined|Infinity|failed)\b/.exec(output)?.[0];
  return nothing === undefined ? undefined : `it printed "${nothing}"`;
}
