import { readdirSync, readFileSync } from "node:fs";
import { childrenOf } from "../processes.js";

/**
 * Returns the processor time of a process and of those below it, in milliseconds. The scheduler counts it in nanoseconds for each thread;
 * `stat` has hundredths of a second only. Threads that have ended are missing.
 */
export function cpuMillisecondsOfTree(pid: number): number {
  const own = readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + readThread(pid, thread), 0);
  return childrenOf(pid).reduce((sum, child) => sum + cpuMillisecondsOfTree(child), own);
}

function readThread(pid: number, thread: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  } catch {
    // It ended after the folder was read.
    return 0;
  }
}
