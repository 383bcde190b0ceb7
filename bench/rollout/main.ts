import type { Agent } from "../../src/index.js";
import type { Row } from "../export/row.js";
import { BenchReport } from "../kit/report.js";
import { type Parts, partsOf } from "../profiling/profile-parts.js";
import { Profiling } from "../profiling/profiling.js";
import { startProxy, startScript } from "../servers.js";
import { sized } from "../sized.js";
import { fetchAgent, sdkAgent, TURNS } from "./agents.js";
import { CONCURRENT, type Cpu, type JobTimes, runJob } from "./job.js";
import { measureLastEpisode } from "./rows/last-episode.js";
import { measurePythonAgents } from "./rows/python-agents.js";
import { measureTasksPerWorker } from "./rows/tasks-per-worker.js";
import { measureTranscripts } from "./rows/transcripts.js";
import { measureWeightsPause } from "./rows/weights-pause.js";
import { measureWorkerProcesses } from "./rows/worker-processes.js";

/**
 * Whole rollouts: episodes a second of inline agents, and where the processor time of a turn goes. Engine, proxy and
 * rollout worker (this process) are a process each and share the machine's processors. Profiles are taken in a run of
 * their own. A table compares the other parts of a job with what they replace, each with its target.
 *
 *   npm run bench:rollout [-- sdk|fetch|python|tasks|workers|tensors|transcripts|weights …]
 */

const AGENTS: Readonly<Record<string, Agent<number>>> = { sdk: sdkAgent, fetch: fetchAgent };
const NAMES: Readonly<Record<string, string>> = { sdk: "OpenAI's SDK", fetch: "fetch alone" };

const ROWS: Readonly<Record<string, (report: BenchReport) => Promise<Row>>> = {
  python: measurePythonAgents,
  tasks: measureTasksPerWorker,
  workers: measureWorkerProcesses,
  tensors: measureLastEpisode,
  transcripts: measureTranscripts,
  weights: measureWeightsPause,
};

/** Node compiles what is called often: the first episodes are slower. */
const WARM_UP_EPISODES = sized(512, 4, 256);
const MEASURED_EPISODES = sized(1024, 16, 512);
const PROFILED_EPISODES = sized(512, 8, 256);
/** Parts below it are added up. */
const LEAST_SHARE = 0.02;

interface Measured {
  readonly times: JobTimes;
  /** Milliseconds of processor time of a turn, by process and part. */
  readonly lines: ReadonlyMap<string, number>;
}

async function measure(agent: Agent<number>): Promise<Measured> {
  using profiling = new Profiling();
  const engine = await startScript(new URL("../proxy/sglang-process.ts", import.meta.url));
  const { nodeArguments, env } = profiling;
  const proxy = await startProxy({ engineUrl: engine.url, connections: CONCURRENT, nodeArguments, env });
  try {
    const pids = { worker: process.pid, proxy: proxy.pid, engine: engine.pid };
    const run = (episodes: number) => runJob(agent, proxy.url, episodes, pids);
    await run(WARM_UP_EPISODES);
    const times = await run(MEASURED_EPISODES);
    const profiles = await profiling.during(proxy.pid, () => run(PROFILED_EPISODES));
    const parts = { worker: partsOf(profiles.own), proxy: partsOf(profiles.proxy) };
    return { times, lines: listParts(times, parts) };
  } finally {
    await proxy.stop();
    await engine.stop();
  }
}

/** Milliseconds of processor time of a turn by process and part, in the order of the table. */
function listParts({ cpu }: JobTimes, parts: { worker: Parts; proxy: Parts }): ReadonlyMap<string, number> {
  const indented = (process: string, lines: [string, number][]) =>
    lines.map(([part, ms]): [string, number] => [`– ${process}: ${part}`, ms]);
  return new Map([
    ["rollout worker with its agents", whole(cpu.worker)],
    ...indented("worker", split(cpu.worker, parts.worker)),
    ["proxy", whole(cpu.proxy)],
    ...indented("proxy", split(cpu.proxy, parts.proxy)),
    ["engine test server", whole(cpu.engine)],
    ["all", sum(Object.values(cpu).map(whole))],
  ]);
}

/** Adds the table of rates and that of processor time, which has two columns for each kind of agent. */
function addTables(report: BenchReport, measured: ReadonlyMap<string, Measured>): void {
  const rates = [...measured].map(
    ([
      name,
      {
        times: { episodes, seconds },
      },
    ]) => [NAMES[name] ?? name, (episodes / seconds).toFixed(1), ((episodes * TURNS) / seconds).toFixed(0)],
  );
  report.addTable(["agents on", "episodes/s", "turns/s"], rates);
  // Small parts of one kind of agent may be listed for the other: they stay in the place of the first list that has them.
  const parts = new Set([...measured.values()].flatMap(({ lines }) => [...lines.keys()]));
  const ordered = [...parts].toSorted((a, b) => placeOf(a) - placeOf(b));
  const rows = ordered.map((part) => [
    part,
    ...[...measured.values()].flatMap(({ lines }) => {
      const ms = lines.get(part);
      if (ms === undefined) return ["", ""];
      return [`${ms.toFixed(3)} ms`, `${((ms / (lines.get("all") ?? Number.NaN)) * 100).toFixed(0)}%`];
    }),
  ]);
  const columns = [...measured.keys()].flatMap((name) => [NAMES[name] ?? name, `share, ${NAMES[name]}`]);
  report.addTable(["processor time of a turn", ...columns], rows);
}

/** Sorts the parts of a process behind it. */
function placeOf(part: string): number {
  const places = ["rollout worker", "– worker", "proxy", "– proxy", "engine", "all"];
  return places.findIndex((place) => part.startsWith(place));
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

const report = new BenchReport();
const chosen = process.argv.slice(2);
const isChosen = (name: string): boolean => chosen.length === 0 || chosen.includes(name);
const measured = new Map<string, Measured>();
for (const [name, agent] of Object.entries(AGENTS)) {
  if (!isChosen(name)) continue;
  process.stderr.write(`measuring agents on ${NAMES[name]} …\n`);
  measured.set(name, await measure(agent));
}
if (measured.size > 0) addTables(report, measured);
const rows: Row[] = [];
for (const [name, measureRow] of Object.entries(ROWS)) {
  if (!isChosen(name)) continue;
  process.stderr.write(`measuring ${name} …\n`);
  rows.push(await measureRow(report));
}
if (rows.length > 0) report.addRows(rows);
