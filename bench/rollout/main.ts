import type { Agent } from "../../src/index.js";
import { markdown, type Row, table } from "../export/row.js";
import { startProxy, startScript } from "../servers.js";
import { sized } from "../sized.js";
import { fetchAgent, sdkAgent, TURNS } from "./agents.js";
import { CONCURRENT, type Cpu, type JobTimes, runJob } from "./job.js";
import type { Parts } from "./profile-parts.js";
import { Profiling } from "./profiling.js";
import { measureLastEpisode } from "./rows/last-episode.js";
import { measurePythonAgents } from "./rows/python-agents.js";
import { measureTranscripts } from "./rows/transcripts.js";
import { measureWeightsPause } from "./rows/weights-pause.js";
import { measureWorkerProcesses } from "./rows/worker-processes.js";

/**
 * Whole rollouts: episodes a second of inline agents, and where the processor time of a turn goes. Engine, proxy and
 * rollout worker (this process) are a process each and share the machine's processors. Profiles are taken in a run of
 * their own. A table compares the other parts of a job with what they replace, each with its target.
 *
 *   npm run bench:rollout [-- sdk|fetch|python|workers|tensors|transcripts|weights …]
 */

const AGENTS: Readonly<Record<string, Agent<number>>> = { sdk: sdkAgent, fetch: fetchAgent };
const NAMES: Readonly<Record<string, string>> = { sdk: "OpenAI's SDK", fetch: "fetch alone" };

const ROWS: Readonly<Record<string, () => Promise<Row>>> = {
  python: measurePythonAgents,
  workers: measureWorkerProcesses,
  tensors: measureLastEpisode,
  transcripts: measureTranscripts,
  weights: measureWeightsPause,
};

/** Node compiles what is called often: the first episodes are slower. */
const WARM_UP_EPISODES = sized(512, 4);
const MEASURED_EPISODES = sized(1024, 16);
const PROFILED_EPISODES = sized(512, 8);
/** Parts below it are added up. */
const LEAST_SHARE = 0.02;

async function measure(name: string, agent: Agent<number>): Promise<string> {
  using profiling = new Profiling();
  const engine = await startScript(new URL("../proxy/sglang-process.ts", import.meta.url));
  const { nodeArguments, env } = profiling;
  const proxy = await startProxy({ engineUrl: engine.url, connections: CONCURRENT, nodeArguments, env });
  try {
    const pids = { worker: process.pid, proxy: proxy.pid, engine: engine.pid };
    const run = (episodes: number) => runJob(agent, proxy.url, episodes, pids);
    await run(WARM_UP_EPISODES);
    const times = await run(MEASURED_EPISODES);
    const parts = await profiling.during(proxy.pid, () => run(PROFILED_EPISODES));
    return describe(name, times, parts);
  } finally {
    await proxy.stop();
    await engine.stop();
  }
}

function describe(name: string, times: JobTimes, parts: { worker: Parts; proxy: Parts }): string {
  const { episodes, seconds, cpu } = times;
  const total = sum(Object.values(cpu).map(whole));
  const line = (part: string, milliseconds: number) => [
    part,
    `${milliseconds.toFixed(3)} ms`,
    `${((milliseconds / total) * 100).toFixed(0)}%`,
  ];
  const rows = [
    line("rollout worker with its agents", whole(cpu.worker)),
    ...split(cpu.worker, parts.worker).map(([part, ms]) => line(`– ${part}`, ms)),
    line("proxy", whole(cpu.proxy)),
    ...split(cpu.proxy, parts.proxy).map(([part, ms]) => line(`– ${part}`, ms)),
    line("engine test server", whole(cpu.engine)),
    line("all", total),
  ];
  const rate = `${(episodes / seconds).toFixed(1)} episodes/s, ${((episodes * TURNS) / seconds).toFixed(0)} turns/s`;
  const heading = `Agents on ${NAMES[name]}: ${rate} (${episodes} episodes of ${TURNS} turns, ${CONCURRENT} at once)`;
  return `${heading}\n\n${markdown(["processor time of a turn", "", "share"], rows)}\n`;
}

/** A process's time by part, the small ones as one. */
function split({ mainThread, otherThreads }: Cpu, parts: Parts): [string, number][] {
  const shares = [...parts];
  const large = shares.filter(([, share]) => share >= LEAST_SHARE);
  const rest = sum(shares.filter(([, share]) => share < LEAST_SHARE).map(([, share]) => share));
  return [
    ...large.map(([part, share]): [string, number] => [part, share * mainThread]),
    ["smaller parts together", rest * mainThread],
    ["other threads", otherThreads],
  ];
}

const whole = ({ mainThread, otherThreads }: Cpu): number => mainThread + otherThreads;
const sum = (values: readonly number[]): number => values.reduce((total, each) => total + each, 0);

const chosen = process.argv.slice(2);
const isChosen = (name: string): boolean => chosen.length === 0 || chosen.includes(name);
for (const [name, agent] of Object.entries(AGENTS)) {
  if (!isChosen(name)) continue;
  process.stderr.write(`measuring agents on ${NAMES[name]} …\n`);
  console.log(await measure(name, agent));
}
const rows: Row[] = [];
for (const [name, measureRow] of Object.entries(ROWS)) {
  if (!isChosen(name)) continue;
  process.stderr.write(`measuring ${name} …\n`);
  rows.push(await measureRow());
}
if (rows.length > 0) console.log(table(rows));
