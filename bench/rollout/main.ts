import type { Agent } from "../../src/index.js";
import { BenchReport, type Row } from "../kit/report.js";
import { startProxy, startScript } from "../kit/servers.js";
import { sized } from "../kit/sized.js";
import { fetchAgent, sdkAgent, TURNS } from "./agents.js";
import { CONCURRENT, type JobTimes, runJob } from "./job.js";
import { measurePythonAgents } from "./rows/python-agents.js";
import { measureTasksPerWorker } from "./rows/tasks-per-worker.js";
import { measureTranscripts } from "./rows/transcripts.js";
import { measureWorkerProcesses } from "./rows/worker-processes.js";

/**
 * Whole rollouts: episodes a second of inline agents, and the processor time of a turn. Engine, proxy and rollout worker (this process) are
 * a process each and share the machine's processors. A table compares the other parts of a job with what they replace, each with its target.
 *
 *   npm run bench:rollout [-- sdk|fetch|python|tasks|workers|transcripts …]
 */

const AGENTS: Readonly<Record<string, readonly [name: string, agent: Agent<number>]>> = {
  sdk: ["OpenAI's SDK", sdkAgent],
  fetch: ["fetch alone", fetchAgent],
};

const ROWS: Readonly<Record<string, () => Promise<Row>>> = {
  python: measurePythonAgents,
  tasks: measureTasksPerWorker,
  workers: measureWorkerProcesses,
  transcripts: measureTranscripts,
};

const COLUMNS = ["agents on", "episodes/s", "turns/s", "processor time of a turn", "worker", "proxy", "engine"];

/** Node compiles what is called often: the first episodes are slower. */
const WARM_UP_EPISODES = sized(512, 4, 256);
const MEASURED_EPISODES = sized(1024, 16, 512);

async function measure(agent: Agent<number>): Promise<JobTimes> {
  const engine = await startScript(new URL("../proxy/sglang-process.ts", import.meta.url));
  const proxy = await startProxy({ engineUrl: engine.url, connections: CONCURRENT });
  try {
    const pids = { worker: process.pid, proxy: proxy.pid, engine: engine.pid };
    await runJob(agent, proxy.url, WARM_UP_EPISODES, pids);
    return await runJob(agent, proxy.url, MEASURED_EPISODES, pids);
  } finally {
    await proxy.stop();
    await engine.stop();
  }
}

function describe(name: string, { episodes, seconds, cpu }: JobTimes): string[] {
  const perSecond = episodes / seconds;
  const all = cpu.worker + cpu.proxy + cpu.engine;
  const shares = [cpu.worker, cpu.proxy, cpu.engine].map((ms) => `${((ms / all) * 100).toFixed(0)}%`);
  return [name, perSecond.toFixed(1), (perSecond * TURNS).toFixed(0), `${all.toFixed(2)} ms`, ...shares];
}

const report = new BenchReport();
const chosen = process.argv.slice(2);
const isChosen = (name: string): boolean => chosen.length === 0 || chosen.includes(name);
const rates: string[][] = [];
for (const [key, [name, agent]] of Object.entries(AGENTS)) {
  if (!isChosen(key)) continue;
  process.stderr.write(`measuring agents on ${name} …\n`);
  rates.push(describe(name, await measure(agent)));
}
if (rates.length > 0) report.addTable(COLUMNS, rates);
const rows: Row[] = [];
for (const [name, measureRow] of Object.entries(ROWS)) {
  if (!isChosen(name)) continue;
  process.stderr.write(`measuring ${name} …\n`);
  rows.push(await measureRow());
}
if (rows.length > 0) report.addRows(rows);
