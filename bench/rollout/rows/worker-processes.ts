import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Row } from "../../export/row.js";
import { endedChildrenSeconds } from "../../processes.js";
import { ADMIN_KEY, startProxy, startScript } from "../../servers.js";
import { sized } from "../../sized.js";
import { median } from "../../text.js";
import { BATCH, CONCURRENT } from "../job.js";

const WHAT = "processor time of an episode, controller and 2 rollout workers against one process";
const MAIN = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));
const AGENT = `${fileURLToPath(new URL("../agents.ts", import.meta.url))}#fetchAgent`;
/** The difference of two jobs has no start-up in it. */
const [SHORT, LONG] = [sized(256, 4), sized(1280, 12)];
const ROUNDS = sized(3, 1);
const TARGET = 1.15;

/**
 * Compares what an episode costs `rolltape rollout --workers 2` (controller and workers together) with what it costs
 * `rolltape rollout`, which runs the same agent in its own process. Both use the same proxy and engine, in turn.
 */
export async function measureWorkerProcesses(): Promise<Row> {
  const engine = await startScript(new URL("../../proxy/sglang-process.ts", import.meta.url));
  const proxy = await startProxy({ engineUrl: engine.url, connections: CONCURRENT });
  const folder = mkdtempSync(join(tmpdir(), "rolltape-bench-"));
  const data = join(folder, "tasks.jsonl");
  const millisecondsOf = async (...args: string[]) => {
    const secondsOf = async (episodes: number) => {
      const lines = Array.from({ length: episodes }, (_, task) => `${task}\n`);
      writeFileSync(data, lines.join(""));
      const out = join(folder, "batch.safetensors");
      return runJob(["--proxy", proxy.url, "--data", data, "--out", out, "--agent", AGENT, ...args]);
    };
    return ((await secondsOf(LONG)) - (await secondsOf(SHORT))) * (1000 / (LONG - SHORT));
  };
  try {
    const [workers, inline]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      inline.push(await millisecondsOf());
      workers.push(await millisecondsOf("--workers", "2"));
    }
    const [measured, reference] = [median(workers), median(inline)];
    return {
      what: WHAT,
      measured: `${measured.toFixed(2)} ms`,
      reference: `${reference.toFixed(2)} ms`,
      verdict: { value: measured / reference, target: TARGET, bound: "at most", unit: "x" },
    };
  } finally {
    await proxy.stop();
    await engine.stop();
    rmSync(folder, { recursive: true });
  }
}

/** Runs `rolltape rollout` to its end. Returns the processor time of all its processes, in seconds. */
async function runJob(args: readonly string[]): Promise<number> {
  const before = endedChildrenSeconds();
  const settings = [`rollout.consumer_batch_size=${BATCH}`, `rollout.max_concurrent_rollouts=${CONCURRENT}`];
  const env = { ...process.env, ROLLTAPE_ADMIN_API_KEY: ADMIN_KEY };
  const child = spawn(process.execPath, [MAIN, "rollout", ...args, ...settings], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors = (errors + text).slice(-4000)));
  const [status] = (await once(child, "close")) as [number | null];
  if (status !== 0) throw new Error(`rolltape rollout ended with ${status}: ${errors}`);
  return endedChildrenSeconds() - before;
}
