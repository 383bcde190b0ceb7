import { readFileSync, statSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setImmediate as nextTurn } from "node:timers/promises";
import { recordKey, sessionKey } from "../../../src/session/stored/keys.js";
import { Storage } from "../../../src/storage/index.js";
import { percentile } from "../../kit/measure.js";
import type { Row } from "../../kit/report.js";
import { sized } from "../../kit/sized.js";
import { withFolder } from "../storage-folder.js";

/** Measures the storage without a server: each caller waits until its record is on disk, then writes the next one. */

/** Sizes of what a real call stores: its interaction, the head of its session, and its outcome, which nobody waits for. */
const SIZES = { small: 2_200, medium: 16_000, large: 180_000 } as const;
const HEAD = Buffer.alloc(371, 3);
const OUTCOME = Buffer.alloc(17, 1);
const SECONDS = sized(3, 0.3, 1);
const WORKLOADS = [
  ["small", 1],
  ["small", 8],
  ["medium", 8],
  ["large", 4],
  ["small", 1000],
] as const;

export async function commits(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [size, callers] of WORKLOADS)
    rows.push(await withFolder((directory) => measure(directory, size, callers)));
  return rows;
}

async function measure(directory: string, size: keyof typeof SIZES, callers: number): Promise<Row> {
  const storage = await Storage.open({ directory, durability: "call" });
  const value = Buffer.alloc(SIZES[size], 7);
  const times: number[] = [];
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const [bytesBefore, cpuBefore] = [readDeviceBytes(directory), process.cpuUsage()];
  const end = performance.now() + SECONDS * 1000;
  delay.enable();
  const call = async (session: number) => {
    for (let index = 0; performance.now() < end; index++) {
      const began = performance.now();
      storage.write([
        { table: "records", key: recordKey(session, "interaction", index), value },
        { table: "sessions", key: sessionKey(session), value: HEAD },
      ]);
      await storage.flushed();
      times.push(performance.now() - began);
      storage.write([{ table: "records", key: recordKey(session, "outcome", index), value: OUTCOME }]);
      await nextTurn();
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, session) => call(session)));
  await storage.committed();
  delay.disable();
  const cpu = process.cpuUsage(cpuBefore);
  const recorded = times.length * (SIZES[size] + HEAD.length + OUTCOME.length);
  const device = (readDeviceBytes(directory) - bytesBefore) / recorded;
  await storage.close();
  const rate = (times.length / SECONDS).toFixed(0);
  const [p50, p99] = [0.5, 0.99].map((q) => percentile(times, q).toFixed(2));
  const loop = (delay.percentile(99) / 1e6).toFixed(1);
  const microseconds = ((cpu.user + cpu.system) / times.length).toFixed(0);
  return {
    what: `the storage alone: ${size} calls, ${callers.toLocaleString("en")} at once`,
    measured: `${rate}/s, p50 ${p50} ms, p99 ${p99} ms; event loop p99 ${loop} ms`,
    reference: `${device.toFixed(2)} bytes on the device per byte; ${microseconds} µs of processor time a call`,
  };
}

/** Returns what was written to the device of a folder, by all processes. */
function readDeviceBytes(directory: string): number {
  const { dev } = statSync(directory);
  const [major, minor] = [(dev >> 8) & 0xfff, (dev & 0xff) | ((dev >> 12) & 0xfff00)];
  const fields = readFileSync(`/sys/dev/block/${major}:${minor}/stat`, "utf8").trim().split(/\s+/);
  return Number(fields[6]) * 512;
}
