import { fileURLToPath } from "node:url";
import { PythonAgent } from "../../../src/index.js";
import { median } from "../../kit/measure.js";
import { findPython, PythonPeer } from "../../kit/python.js";
import { type Row, skipped } from "../../kit/report.js";
import { ADMIN_KEY, startProxy, startScript } from "../../kit/servers.js";
import { sized } from "../../kit/sized.js";
import { TURNS } from "../agents.js";
import { BATCH, CONCURRENT, runJob } from "../job.js";

const WHAT = "persistent Python agents, against one hand-written asyncio process";
const FOLDER = fileURLToPath(new URL("../python", import.meta.url));
const EPISODES = sized(512, 8, 256);
const ROUNDS = sized(3, 1, 2);
const TARGET_SHARE = 0.6;

/**
 * Compares the rate of an asynchronous Python agent under the controller with that of a program of the same conversation
 * that starts, rewards, ends and exports its sessions itself. Both use the same proxy and engine in turn.
 */
export async function measurePythonAgents(): Promise<Row> {
  const python = findPython();
  if (python === undefined) return skipped(WHAT, "python3 is missing");
  const engine = await startScript(new URL("../../proxy/sglang-process.ts", import.meta.url));
  const proxy = await startProxy({ engineUrl: engine.url, connections: CONCURRENT });
  const byHand = new PythonPeer(python, "../rollout/python/by_hand.py", proxy.url, ADMIN_KEY);
  const agent = new PythonAgent<number>("agent.py:solve", { directory: FOLDER, python });
  try {
    const pids = { worker: process.pid, proxy: proxy.pid, engine: engine.pid };
    const runAgent = async () => (await runJob(agent, proxy.url, EPISODES, pids)).seconds;
    const runByHand = () => byHand.ask<number>(`${EPISODES} ${CONCURRENT} ${BATCH}`);
    await runAgent();
    await runByHand();
    const [agents, program]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      agents.push(await runAgent());
      program.push(await runByHand());
    }
    const rates = [agents, program].map((seconds) => EPISODES / median(seconds));
    const [measured = 0, reference = 0] = rates;
    const verdict = { value: measured / reference, target: TARGET_SHARE, bound: "at least", unit: "x" } as const;
    return { what: WHAT, measured: describe(measured), reference: describe(reference), verdict };
  } finally {
    agent.close();
    await byHand.close();
    await proxy.stop();
    await engine.stop();
  }
}

const describe = (rate: number) => `${rate.toFixed(1)} episodes/s, ${(rate * TURNS).toFixed(0)} turns/s`;
