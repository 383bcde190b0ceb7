import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { PythonAgent, parseConfig } from "../../../src/index.js";
import { cpuSecondsOf } from "../../kit/processes.js";
import { findPython } from "../../kit/python.js";
import { type Row, skipped } from "../../kit/report.js";
import { sized } from "../../kit/sized.js";

const WHAT = "processor time of a Python process with the default of tasks_per_worker, as a part of a core";
const FOLDER = fileURLToPath(new URL("../python", import.meta.url));
/** How long a model call takes: short for an agent, so that a process has many of them. */
const CALL_MS = sized(1000, 10, 1000);
const CALLS = 4;
const COUNTS = sized([32, 64, 128, 256], [2, 4], [128, 256]);
const TARGET_SHARE = 0.5;

/**
 * Runs twice as many tasks as one process takes at once, for several such numbers. The default is the highest power of two with which
 * the process leaves half of a core to what the agents compute themselves. Beyond it, tasks only make each other slower, and more of
 * them run again if the process ends.
 *
 * Processor time depends little on what else the machine does, unlike the rate.
 *
 * The agents use OpenAI's SDK if the active virtual environment has it.
 */
export async function measureTasksPerWorker(): Promise<Row> {
  if (findPython() === undefined) return skipped(WHAT, "python3 is missing");
  const server = createServer((request, response) => {
    request.resume().once("end", () => {
      setTimeout(() => {
        response.writeHead(200, { "content-type": "application/json" }).end(ANSWER);
      }, CALL_MS);
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const measured: Measured[] = [];
    for (const count of COUNTS) measured.push(await measure(url, count));
    const { tasks_per_worker: chosen } = parseConfig({}).rollout.agent;
    const [own = NONE] = [...measured.filter(({ count }) => count === chosen), ...measured];
    const [twice = own] = measured.filter(({ count }) => count === 2 * own.count);
    const verdict = { value: coresOf(own), target: TARGET_SHARE, bound: "at most", unit: " cores" } as const;
    return { what: WHAT, measured: describe(own), reference: describe(twice), verdict };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

interface Measured {
  readonly count: number;
  /** Calls per second. */
  readonly rate: number;
  /** Processor time of a call, in milliseconds. */
  readonly cpu: number;
}

const NONE: Measured = { count: 0, rate: 0, cpu: 0 };

/** Processor time of a process whose tasks all wait for a call, if each call takes {@link CALL_MS}. */
const coresOf = ({ count, cpu }: Measured): number => (count * cpu) / CALL_MS;

const ANSWER = JSON.stringify({
  id: "c",
  object: "chat.completion",
  created: 0,
  model: "any",
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "yes" } }],
});

async function measure(url: string, count: number): Promise<Measured> {
  const agent = new PythonAgent<string>("sdk_agent.py:solve", {
    directory: FOLDER,
    maxWorkers: 1,
    tasksPerWorker: count,
  });
  try {
    const { signal } = new AbortController();
    const run = () => agent.run("Why?", { base_url: url, api_key: "key", http_client: fetch, signal });
    // Opens the connections, and returns the id of the process.
    const [pid] = await Promise.all(Array.from({ length: count }, run));
    const [before, started] = [cpuSecondsOf(Number(pid)), performance.now()];
    await Promise.all(Array.from({ length: 2 * count }, run));
    const seconds = (performance.now() - started) / 1000;
    const calls = 2 * count * CALLS;
    return { count, rate: calls / seconds, cpu: ((cpuSecondsOf(Number(pid)) - before) * 1000) / calls };
  } finally {
    agent.close();
  }
}

function describe({ count, rate, cpu }: Measured): string {
  const cores = coresOf({ count, rate, cpu }).toFixed(2);
  return `${count} tasks: ${cores} cores, ${cpu.toFixed(1)} ms a call, ${rate.toFixed(0)} calls/s`;
}
