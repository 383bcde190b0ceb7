import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Row } from "../../export/row.js";
import { cpuSecondsOfTree } from "../../processes.js";
import { ADMIN_KEY, startProxy, startScript } from "../../servers.js";
import { sized } from "../../sized.js";
import { median } from "../../text.js";
import { BATCH, CONCURRENT } from "../job.js";

const WHAT = "processor time of an episode, controller and 2 rollout workers against one process";
const MAIN = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));
const AGENT = `${fileURLToPath(new URL("../agents.ts", import.meta.url))}#fetchAgent`;
/** Node compiles what is called often: the first episodes of a job are not measured. The last ones run with less company. */
const [EPISODES, WARM_UP, END] = sized([3072, 1024, 2560], [24, 8, 16]);
const ROUNDS = sized(2, 1);
const POLL_MS = 20;
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
  writeFileSync(data, Array.from({ length: EPISODES }, (_, task) => `${task}\n`).join(""));
  const out = join(folder, "batch.safetensors");
  const job = ["--proxy", proxy.url, "--data", data, "--out", out, "--agent", AGENT];
  const millisecondsOf = (...args: string[]) => runJob([...job, ...args], proxy.url);
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

/** Runs `rolltape rollout` to its end. Returns the processor time of an episode in all its processes, in milliseconds. */
async function runJob(args: readonly string[], url: string): Promise<number> {
  const settings = [`rollout.consumer_batch_size=${BATCH}`, `rollout.max_concurrent_rollouts=${CONCURRENT}`];
  const env = { ...process.env, ROLLTAPE_ADMIN_API_KEY: ADMIN_KEY };
  const before = await countSessions(url);
  const child = spawn(process.execPath, [MAIN, "rollout", ...args, ...settings], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors = (errors + text).slice(-4000)));
  const ended = once(child, "close") as Promise<[number | null]>;
  const reach = async (episodes: number) => {
    for (;;) {
      const count = (await countSessions(url)) - before;
      if (count >= episodes || child.exitCode !== null) return { count, seconds: cpuSecondsOfTree(child.pid ?? 0) };
      await sleep(POLL_MS);
    }
  };
  const [from, to] = [await reach(WARM_UP), await reach(END)];
  const [status] = await ended;
  if (status !== 0) throw new Error(`rolltape rollout ended with ${status}: ${errors}`);
  return ((to.seconds - from.seconds) * 1000) / (to.count - from.count);
}

async function countSessions(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^rolltape_session_turns_count\S* (\d+)/m.exec(text)?.[1] ?? 0);
}
