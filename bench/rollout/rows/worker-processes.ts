import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Row } from "../../export/row.js";
import type { BenchReport } from "../../kit/report.js";
import { type Child } from "../../processes.js";
import { startProxy, startScript } from "../../servers.js";
import { sized } from "../../sized.js";
import { addUp, type CpuReading, type JobCpu, subtract, sumOf, totalOf } from "../command/cpu-reading.js";
import { RolloutCommand, readAll } from "../command/rollout-command.js";

const AGENT = `${fileURLToPath(new URL("../agents.ts", import.meta.url))}#sdkAgent`;
const [CONCURRENT, BATCH] = sized([128, 128], [4, 4]);
/**
 * Each process compiles its own hot functions, so two workers need twice as many episodes as one process until V8 has compiled them. The
 * cost of that is printed separately, because it does not grow with the number of episodes.
 */
const [WARM_UP, EPISODES] = sized([3072, 2048], [8, 16], [1280, 256]);
/** The two jobs take turns so many times. */
const ROUNDS = sized(8, 2, 4);
/** Time after the start of a turn that is not measured: the answers that arrived meanwhile are read at once. */
const SETTLE_MS = 1_000;
/** Number of tasks: more than the jobs can run. */
const TASKS = 4 * (WARM_UP + EPISODES) + 512 * ROUNDS;
const TARGET = 1.15;

/** Two jobs of the same agent: with two rollout workers, and in one process. */
type Pair<T> = readonly [workers: T, inline: T];
const COLUMNS = ["processes", "an episode", "main thread", "other threads", "of these system", "start", "end"];
const TITLES: Pair<string> = ["controller and 2 workers", "one process"];

interface PairOptions {
  /** The part of an episode that is measured. */
  readonly part: string;
  readonly args: readonly string[];
  /** False: the jobs are killed, so that they do not export everything. */
  readonly measuresEnd: boolean;
}

const PAIRS: readonly PairOptions[] = [
  { part: "whole", args: [`rollout.consumer_batch_size=${BATCH}`], measuresEnd: true },
  {
    part: "without transcripts and exports",
    args: [`rollout.consumer_batch_size=${TASKS}`, "--no-transcripts"],
    measuresEnd: false,
  },
];

interface Spent {
  /** Seconds up to the end of the warm-up. */
  readonly first: JobCpu;
  readonly warmUp: number;
  /** Seconds and episodes of the turns afterwards. */
  warm: JobCpu;
  episodes: number;
  /** Seconds from the signal that stops the job to its end; undefined if it was killed. */
  end?: number;
}

/**
 * Compares what an episode costs `rolltape rollout --workers 2` (controller and workers together) with what it costs
 * `rolltape rollout`, which runs the same agent in its own process. The cost of an episode is the slope between two numbers of
 * episodes of the same job, so that the start and the end of a job do not count. They are printed separately.
 *
 * The jobs take turns of some seconds: one runs while the processes of the other are suspended. So each has the machine to itself, as a
 * job usually has, and both meet the same noise of a shared machine. Each has a proxy of its own.
 */
export async function measureWorkerProcesses(benchReport: BenchReport): Promise<Row> {
  const costs: [number, number][] = [];
  for (const { part, ...options } of PAIRS) {
    const [workers, inline] = await measurePair(options);
    const cost: [number, number] = [millisecondsOf(workers), millisecondsOf(inline)];
    costs.push(cost);
    const ratio = (cost[0] / cost[1]).toFixed(2);
    console.log(`Processor time of an episode, ${part}: ${ratio}x\n`);
    benchReport.addTable(COLUMNS, describe([workers, inline]));
  }
  const [measured = NaN, reference = NaN] = costs[0] ?? [];
  return {
    what: "processor time of an episode, controller and 2 rollout workers against one process",
    measured: `${measured.toFixed(2)} ms`,
    reference: `${reference.toFixed(2)} ms`,
    verdict: { value: measured / reference, target: TARGET, bound: "at most", unit: "x" },
  };
}

async function measurePair(options: Omit<PairOptions, "part">): Promise<Pair<Spent>> {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-bench-"));
  const engine = await startScript(new URL("../../proxy/sglang-process.ts", import.meta.url));
  try {
    return await measureJobs(engine, folder, options);
  } finally {
    await engine.stop();
    rmSync(folder, { recursive: true });
  }
}

async function measureJobs(
  engine: Child,
  folder: string,
  { args: shared, measuresEnd }: Omit<PairOptions, "part">,
): Promise<Pair<Spent>> {
  const start = async (name: string, ...args: string[]) => {
    const proxy = await startProxy({ engineUrl: engine.url, connections: CONCURRENT });
    const all = [...shared, `rollout.max_concurrent_rollouts=${CONCURRENT}`, ...args];
    return new RolloutCommand({ proxy, agent: AGENT, path: join(folder, name), tasks: TASKS, args: all });
  };
  await using workers = await start("workers", "--workers", "2");
  await using inline = await start("inline");
  const jobs = [workers, inline];
  const starts = await readAll(jobs, [WARM_UP, WARM_UP]);
  const spent = starts.map(
    ({ cpu, episodes }): Spent => ({ first: cpu, warm: new Map(), warmUp: episodes, episodes: 0 }),
  );
  for (const job of jobs) job.suspend();
  for (let round = 0; round < ROUNDS; round++) {
    for (const i of round % 2 === 0 ? [0, 1] : [1, 0]) await takeTurn(jobs[i] as RolloutCommand, spent[i] as Spent);
  }
  for (const job of jobs) job.resume();
  if (measuresEnd) for (const [i, job] of jobs.entries()) (spent[i] as Spent).end = await job.stop();
  return [spent[0] as Spent, spent[1] as Spent];
}

/** Lets a job run for its share of the episodes, and adds what it spent. */
async function takeTurn(job: RolloutCommand, spent: Spent): Promise<void> {
  job.resume();
  await sleep(SETTLE_MS);
  const from = await job.read();
  const [to = from] = await readAll([job], [from.episodes + EPISODES / ROUNDS]);
  job.suspend();
  spent.warm = addUp(subtract(to.cpu, from.cpu), spent.warm);
  spent.episodes += to.episodes - from.episodes;
}

/** Milliseconds of an episode after the warm-up. */
const millisecondsOf = ({ warm, episodes }: Spent): number => (sumOf(warm) * 1000) / episodes;

/** Returns the time of each process: that of an episode, and what the start took in addition. */
function describe(pair: Pair<Spent>): string[][] {
  return pair.flatMap((spent, i) => {
    const { first, warm, warmUp, episodes, end } = spent;
    const line = (name: string, each: CpuReading, start: number, last: string) => [
      name,
      ...[totalOf(each), each.mainThread, each.otherThreads, each.system].map(
        (seconds) => `${((seconds * 1000) / episodes).toFixed(2)} ms`,
      ),
      `${start.toFixed(1)} s`,
      last,
    ];
    const startOf = (before: number, after: number) => before - (after / episodes) * warmUp;
    const parts = [...warm].map(([name, each]) => {
      const before = first.get(name);
      return line(`– ${name}`, each, before ? startOf(totalOf(before), totalOf(each)) : 0, "");
    });
    const sums = line(
      TITLES[i as 0 | 1],
      sum(warm),
      startOf(sumOf(first), sumOf(warm)),
      end === undefined ? "" : `${end.toFixed(1)} s`,
    );
    return warm.size > 1 ? [sums, ...parts] : [sums];
  });
}

function sum(cpu: JobCpu): CpuReading {
  const add = (field: keyof CpuReading) => [...cpu.values()].reduce((total, each) => total + each[field], 0);
  return { mainThread: add("mainThread"), otherThreads: add("otherThreads"), system: add("system") };
}
