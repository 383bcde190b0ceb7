import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { describeEnd } from "../../src/support/processes/child-end.js";
import { ChildGroup } from "../../src/support/processes/child-group.js";
import type { BenchSize } from "../sized.js";
import { type BenchScript, ROOT } from "./bench-scripts.js";

/** Time for the processes of a benchmark to end after SIGTERM. */
const GRACE_MS = 5_000;

export interface RunOptions {
  readonly size: BenchSize;
  readonly args?: readonly string[];
  /** The benchmark is ended after this time. */
  readonly limitSeconds: number;
  /** File for standard output and standard error. */
  readonly log: string;
}

/** How a benchmark ended. */
export interface BenchRun {
  readonly seconds: number;
  /** Why it did not succeed; undefined if it did. */
  readonly problem: string | undefined;
}

/** Runs a benchmark in its own process group. When it ends, processes that it left are killed. */
export async function runBench(
  { command }: Pick<BenchScript, "command">,
  { size, args = [], limitSeconds, log }: RunOptions,
): Promise<BenchRun> {
  const output = createWriteStream(log);
  await once(output, "open");
  const started = performance.now();
  const env = { ...process.env, PATH: `${ROOT}node_modules/.bin:${process.env["PATH"]}`, BENCH_SIZE: size };
  const child = spawn("sh", ["-c", `exec ${[command, ...args].join(" ")}`], {
    cwd: ROOT,
    env,
    detached: true,
    stdio: ["ignore", output, output],
  });
  const group = new ChildGroup(child);
  let isLate = false;
  const end = setTimeout(() => {
    isLate = true;
    group.signal("SIGTERM");
  }, limitSeconds * 1000);
  const kill = setTimeout(() => group.kill(), limitSeconds * 1000 + GRACE_MS);
  const ended = await group.exited;
  clearTimeout(end);
  clearTimeout(kill);
  output.close();
  const seconds = (performance.now() - started) / 1000;
  if (isLate) return { seconds, problem: `it took longer than ${limitSeconds.toFixed(0)} s` };
  if (ended.how === "exit" && ended.code === 0) return { seconds, problem: undefined };
  return { seconds, problem: `it ended with ${describeEnd(ended)}` };
}
