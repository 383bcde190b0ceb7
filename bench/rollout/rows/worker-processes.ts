import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Row } from "../../export/row.js";
import { type Child } from "../../processes.js";
import type { BenchReport } from "../../report/bench-report.js";
import { startProxy, startScript } from "../../servers.js";
import { sized } from "../../sized.js";
import { type CpuReading, type JobCpu, subtract, sumOf, totalOf } from "../command/cpu-reading.js";
import { type CommandReading, RolloutCommand, readAll } from "../command/rollout-command.js";

const AGENT = `${fileURLToPath(new URL("../agents.ts", import.meta.url))}#sdkAgent`;
const [CONCURRENT, BATCH] = sized([128, 128], [4, 4]);
/**
 * Each process compiles its own hot functions, so two workers need twice as many episodes as one process until V8 has compiled them. The
 * cost of that is printed separately, because it does not grow with the number of episodes.
 */
const [WARM_UP, EPISODES] = sized([3072, 2048], [8, 16], [2048, 512]);
/** Number of tasks: more than the jobs can run. */
const TASKS = 4 * (WARM_UP + EPISODES);
const TARGET = 1.15;

/** Two jobs of the same agent: with two rollout workers, and in one process. */
type Pair<T> = readonly [workers: T, inline: T];
const COLUMNS = ["processes", "an episode", "main thread", "other threads", "of these system", "start", "end"];
const TITLES: Pair<string> = ["controller and 2 workers", "one process"];

interface PairOptions {
  /** The part of an episode that is measured. */
  readonly part: string;
  /** Name of its table. */
  readonly table: string;
  readonly args: readonly string[];
  /** False: the jobs are killed, so that they do not export everything. */
  readonly measuresEnd: boolean;
}

const PAIRS: readonly PairOptions[] = [
  { part: "whole", table: "episode", args: [`rollout.consumer_batch_size=${BATCH}`], measuresEnd: true },
  {
    part: "without transcripts and exports",
    table: "episode-without-exports",
    args: [`rollout.consumer_batch_size=${TASKS}`, "--no-transcripts"],
    measuresEnd: false,
  },
];

interface Spent {
  /** Seconds up to the end of the warm-up. */
  readonly first: JobCpu;
  /** Seconds and episodes afterwards. */
  readonly warm: JobCpu;
  readonly warmUp: number;
  readonly episodes: number;
  /** Seconds from the signal that stops the job to its end; undefined if it was killed. */
  readonly end: number | undefined;
}

/**
 * Compares what an episode costs `rolltape rollout --workers 2` (controller and workers together) with what it costs
 * `rolltape rollout`, which runs the same agent in its own process. The cost of an episode is the slope between two numbers of
 * episodes of the same job, so that the start and the end of a job do not count. They are printed separately.
 *
 * Both jobs run at the same time, each with a proxy of its own, because the processor time of the same work changes with what
 * else runs on the machine.
 */
export async function measureWorkerProcesses(benchReport: BenchReport): Promise<Row> {
  const costs: [number, number][] = [];
  for (const { part, table, ...options } of PAIRS) {
    const [workers, inline] = await measurePair(options);
    const cost: [number, number] = [millisecondsOf(workers), millisecondsOf(inline)];
    costs.push(cost);
    const ratio = (cost[0] / cost[1]).toFixed(2);
    console.log(`Processor time of an episode, ${part}: ${ratio}x\n`);
    benchReport.addTable(COLUMNS, describe([workers, inline]), table);
  }
  const [measured = NaN, reference = NaN] = costs[0] ?? [];
  return {
    what: "processor time of an episode, controller and 2 rollout workers against one process",
    measured: `${measured.toFixed(2)} ms`,
    reference: `${reference.toFixed(2)} ms`,
    verdict: { value: measured / reference, target: TARGET, bound: "at most", unit: "x" },
  };
}

async function measurePair(options: Omit<PairOptions, "part" | "table">): Promise<Pair<Spent>> {
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
  { args: shared, measuresEnd }: Omit<PairOptions, "part" | "table">,
): Promise<Pair<Spent>> {
  const start = async (name: string, ...args: string[]) => {
    const proxy = await startProxy({ engineUrl: engine.url, connections: CONCURRENT });
    const all = [...shared, `rollout.max_concurrent_rollouts=${CONCURRENT}`, ...args];
    return new RolloutCommand({ proxy, agent: AGENT, path: join(folder, name), tasks: TASKS, args: all });
  };
  await using workers = await start("workers", "--workers", "2");
  await using inline = await start("inline");
  const jobs = [workers, inline];
  const from = await readAll(jobs, [WARM_UP, WARM_UP]);
  const to = await readAll(
    jobs,
    from.map(({ episodes }) => episodes + EPISODES),
  );
  const spent = async (job: RolloutCommand, i: 0 | 1): Promise<Spent> => {
    const [before, after] = [from[i] as CommandReading, to[i] as CommandReading];
    const warm = subtract(after.cpu, before.cpu);
    const episodes = after.episodes - before.episodes;
    return {
      first: before.cpu,
      warm,
      warmUp: before.episodes,
      episodes,
      end: measuresEnd ? await job.stop() : undefined,
    };
  };
  return Promise.all([spent(workers, 0), spent(inline, 1)]);
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
