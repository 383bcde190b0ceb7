import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

/** How long the last output of a process that has ended is waited for: one that left its group may hold the pipe. */
const LAST_OUTPUT_MS = 1000;

/** Resolves when the output of a process was read that exits now: to be called when it says so, not later. */
export async function outputRead(child: ChildProcess): Promise<void> {
  const waiting = new AbortController();
  const { signal } = waiting;
  try {
    const closed = once(child, "close", { signal });
    await Promise.race([closed, sleep(LAST_OUTPUT_MS, undefined, { signal })]);
  } finally {
    waiting.abort();
  }
}

/** How a process ended, in words. */
export function describeEnd(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `status ${code}` : signal;
}
