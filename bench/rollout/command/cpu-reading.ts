import { readFileSync } from "node:fs";
import { childrenOf, cpuSecondsOf, mainThreadSecondsOf, systemSecondsOf } from "../../processes.js";

/** Seconds of processor time of one process up to now. */
export interface CpuReading {
  readonly mainThread: number;
  readonly otherThreads: number;
  /** The part of both that was spent in the kernel. */
  readonly system: number;
}

export const NO_CPU: CpuReading = { mainThread: 0, otherThreads: 0, system: 0 };

/** Processor time of the processes of a job, by the name of each: `rollout`, `worker-0`, `worker-1`. */
export type JobCpu = ReadonlyMap<string, CpuReading>;

/** Reads a `rolltape rollout` and the rollout workers that it started. */
export function readJobCpu(pid: number): JobCpu {
  const cpu = new Map([["rollout", readCpu(pid)]]);
  for (const child of childrenOf(pid)) {
    const name = workerName(child);
    if (name !== undefined) cpu.set(name, readCpu(child));
  }
  return cpu;
}

export const totalOf = ({ mainThread, otherThreads }: CpuReading): number => mainThread + otherThreads;

export const sumOf = (cpu: JobCpu): number => [...cpu.values()].reduce((sum, each) => sum + totalOf(each), 0);

/** Returns the processor time that was spent between two readings. */
export const subtract = (to: JobCpu, from: JobCpu): JobCpu => combine(to, from, (a, b) => a - b);

/** Returns the processor time of two parts of a job together. `part` has all of its processes. */
export const addUp = (part: JobCpu, earlier: JobCpu): JobCpu => combine(part, earlier, (a, b) => a + b);

function combine(all: JobCpu, others: JobCpu, operation: (a: number, b: number) => number): JobCpu {
  return new Map(
    [...all].map(([name, one]) => {
      const other = others.get(name) ?? NO_CPU;
      const field = (key: keyof CpuReading) => operation(one[key], other[key]);
      return [name, { mainThread: field("mainThread"), otherThreads: field("otherThreads"), system: field("system") }];
    }),
  );
}

function readCpu(pid: number): CpuReading {
  const mainThread = mainThreadSecondsOf(pid);
  return { mainThread, otherThreads: cpuSecondsOf(pid) - mainThread, system: systemSecondsOf(pid) };
}

/** The name that a job gave a rollout worker; undefined for another program, such as a loader of TypeScript. */
function workerName(pid: number): string | undefined {
  const args = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  return args.includes("worker") ? args[args.indexOf("--name") + 1] : undefined;
}
