import { closeSync, fdatasyncSync, openSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { median, percentile } from "../../kit/measure.js";
import type { Row } from "../../kit/report.js";
import { sized } from "../../kit/sized.js";
import { ServerPair, type Side } from "../pair.js";
import { withFolder } from "../storage-folder.js";

/**
 * What storage adds to a small call, if calls arrive at a constant rate. The two servers take turns. A machine that cannot keep up
 * with the target rate gets a lower one: otherwise the calls would only wait for each other.
 */

const TARGET_PER_SECOND = sized(1_000, 50);
/** Maximum load, as a share of the rate that the server without storage reaches. Callers and engine use the same processors. */
const MOST_LOAD = 0.2;
/** Node compiles what is called often. Before that, a server does a third of the calls. */
const WARM_UP = { concurrency: 32, seconds: sized(10, 0.5, 4) };
const FULL_LOAD = { concurrency: 32, seconds: sized(4, 0.5, 2) };
const SECONDS = sized(5, 0.5, 3);
const ROUNDS = sized(5, 1, 2);
const SESSIONS = sized(64, 4);
const WRITES = sized(400, 10);
const WRITE_BYTES = 16 * 2 ** 10;
const TARGET_MEDIAN_MS = 1;
const TARGET_P99_MS = 5;

interface Times {
  readonly p50: number;
  readonly p99: number;
  readonly perSecond: number;
}

export async function addedTime(): Promise<Row[]> {
  return withFolder(async (directory) => {
    const pair = await ServerPair.start(directory, { connections: 256, sessions: SESSIONS });
    try {
      for (const side of ["stored", "memory"] as const) await pair.keepOpen(side, WARM_UP);
      const most = (await pair.keepOpen("memory", FULL_LOAD)).perSecond;
      const rate = Math.min(TARGET_PER_SECOND, Math.round(most * MOST_LOAD));
      const rounds: Record<Side, Times>[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        rounds.push({ memory: await load(pair, "memory", rate), stored: await load(pair, "stored", rate) });
      }
      const row = (name: "p50" | "p99", target: number): Row => {
        const middle = (side: Side, value: keyof Times) => median(rounds.map((each) => each[side][value]));
        const show = (side: Side) => `${middle(side, name).toFixed(2)} ms at ${middle(side, "perSecond").toFixed(0)}/s`;
        const value = median(rounds.map(({ stored, memory }) => stored[name] - memory[name]));
        const what = `small calls, ${rate.toLocaleString("en")}/s: added, ${name}`;
        const verdict = { value, target, bound: "at most", unit: " ms" } as const;
        return { what, measured: `stored: ${show("stored")}`, reference: `memory only: ${show("memory")}`, verdict };
      };
      const full = await load(pair, "memory", TARGET_PER_SECOND);
      return [row("p50", TARGET_MEDIAN_MS), row("p99", TARGET_P99_MS), fullRateRow(full), diskRow(directory)];
    } finally {
      await pair.close();
    }
  });
}

/** Sends calls when they are due, and counts each from then on. */
async function load(pair: ServerPair, side: Side, rate: number): Promise<Times> {
  const times: number[] = [];
  const calls: Promise<void>[] = [];
  const began = performance.now();
  const dueAt = (n: number) => began + (n / rate) * 1000;
  const count = rate * SECONDS;
  for (let n = 0; n < count; ) {
    const now = performance.now();
    for (; n < count && dueAt(n) <= now; n++) {
      const due = dueAt(n);
      calls.push(pair.call(side, n).then(() => void times.push(performance.now() - due)));
    }
    await sleep(1);
  }
  await Promise.all(calls);
  const perSecond = times.length / ((performance.now() - began) / 1000);
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99), perSecond };
}

/** Calls at the target rate without storage. If the machine cannot keep up, calls wait for a processor, whatever the storage does. */
function fullRateRow({ p50, p99, perSecond }: Times): Row {
  const measured = `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms at ${perSecond.toFixed(0)}/s`;
  return { what: `memory only, ${TARGET_PER_SECOND.toLocaleString("en")}/s wanted`, measured, reference: "" };
}

/** What the disk alone takes. No durable call can be faster than one sync. */
function diskRow(directory: string): Row {
  const times = measureSync(directory);
  const measured = `p50 ${percentile(times, 0.5).toFixed(2)} ms, p99 ${percentile(times, 0.99).toFixed(2)} ms`;
  return { what: "the disk alone: fdatasync after a write of 16 KiB", measured, reference: "" };
}

/** Overwrites parts of a file and returns how long it took until each was on disk, in milliseconds. */
function measureSync(directory: string): number[] {
  const path = join(directory, "fdatasync.bin");
  const file = openSync(path, "w");
  const block = Buffer.alloc(WRITE_BYTES, 1);
  try {
    writeSync(file, Buffer.alloc(WRITES * WRITE_BYTES));
    fdatasyncSync(file);
    return Array.from({ length: WRITES }, (_, n) => {
      writeSync(file, block, 0, WRITE_BYTES, n * WRITE_BYTES);
      const began = performance.now();
      fdatasyncSync(file);
      return performance.now() - began;
    });
  } finally {
    closeSync(file);
    unlinkSync(path);
  }
}
