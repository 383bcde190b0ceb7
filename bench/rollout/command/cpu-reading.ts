import { readdirSync, readFileSync } from "node:fs";
import { cpuSecondsOf, mainThreadSecondsOf, systemSecondsOf } from "../../processes.js";

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
export function subtract(to: JobCpu, from: JobCpu): JobCpu {
  return new Map(
    [...to].map(([name, after]) => {
      const before = from.get(name) ?? NO_CPU;
      const spent = {
        mainThread: after.mainThread - before.mainThread,
        otherThreads: after.otherThreads - before.otherThreads,
        system: after.system - before.system,
      };
      return [name, spent];
    }),
  );
}

function readCpu(pid: number): CpuReading {
  const mainThread = mainThreadSecondsOf(pid);
  return { mainThread, otherThreads: cpuSecondsOf(pid) - mainThread, system: systemSecondsOf(pid) };
}

/** A child may belong to any thread of its parent. */
function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
}

/** The name that a job gave a rollout worker; undefined for another program, such as a loader of TypeScript. */
function workerName(pid: number): string | undefined {
  const args = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  return args.includes("worker") ? args[args.indexOf("--name") + 1] : undefined;
}
