import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sessionKey } from "../../src/session/stored/keys.js";
import { GroupCommit } from "../../src/storage/group-commit.js";
import type { Change } from "../../src/storage/index.js";
import type { BenchReport } from "../kit/report.js";
import { sized } from "../sized.js";
import { median } from "../text.js";
import { dropFromCache } from "./cache.js";
import { measureSync } from "./disk.js";
import { SHAPE } from "./plan.js";
import { quantile } from "./quantile.js";
import { postAll } from "./requests.js";
import { withFolder } from "./storage-folder.js";
import { level } from "./stores/level.js";
import { log } from "./stores/log.js";
import { makeChanges } from "./stores/sample-changes.js";
import type { Contender, Store } from "./stores/store.js";

/**
 * Compares the log with other ways to keep records on disk: the same records of model calls, under the same group commit.
 *
 *   npm run bench:durable -- stores
 */

const CONTENDERS: readonly Contender[] = [log, level];
const SESSIONS = sized(10_000, 40);
const ROUNDS = sized(3, 1);
const PER_SECOND = sized(1_000, 100);
const SECONDS = sized(5, 0.5);
const WRITERS = 32;
/** Sessions that are recorded at the same time while the store is filled. */
const SIDE_BY_SIDE = 64;
/** Sessions whose records are written again and again while time is measured. */
const REPEATED = 64;
/** Number of the first session that only measurements of time write. */
const TIMED = 1_000_000;

const COLUMNS = [
  "store",
  `at ${PER_SECOND.toLocaleString("en")} records/s: p50`,
  "p99",
  `${WRITERS} writers`,
  "recording all",
  "disk per token",
  "reading all, cached",
  "not cached",
];

interface Figures {
  readonly p50: number[];
  readonly p99: number[];
  readonly perSecond: number[];
}

export async function compareStores(report: BenchReport): Promise<void> {
  const syncTimes = await withFolder(async (directory) => measureSync(directory));
  const timed = await measureTimes();
  const rows: string[][] = [];
  for (const contender of CONTENDERS) {
    const figures = timed.get(contender.name);
    if (!figures) continue;
    process.stderr.write(`filling ${contender.name} …\n`);
    rows.push([contender.name, ...describe(figures), ...(await fill(contender))]);
  }
  console.log(describeDisk(syncTimes));
  report.addTable(COLUMNS, rows);
}

/** Measures latency and throughput of all contenders in turns. */
async function measureTimes(): Promise<Map<string, Figures>> {
  const groups = Array.from({ length: REPEATED }, (_, i) => makeChanges(TIMED + i)).flat();
  const figures = new Map<string, Figures>();
  for (let round = -1; round < ROUNDS; round++) {
    for (const contender of CONTENDERS) {
      process.stderr.write(`timing ${contender.name} …\n`);
      await withFolder(async (directory) => {
        const store = await openWarm(contender, directory);
        const latency = await measureLatency(store, groups);
        const perSecond = await measureThroughput(store, groups);
        await store.close();
        if (round < 0) return;
        const known = figures.get(contender.name) ?? { p50: [], p99: [], perSecond: [] };
        known.p50.push(quantile(latency, 0.5));
        known.p99.push(quantile(latency, 0.99));
        known.perSecond.push(perSecond);
        figures.set(contender.name, known);
      });
    }
  }
  return figures;
}

/** Writes groups at a constant rate. Returns how long each took to be on disk, in milliseconds. */
async function measureLatency(store: Store, groups: readonly Change[][]): Promise<number[]> {
  const commits = openGroups(store);
  const times: number[] = [];
  const writes: Promise<void>[] = [];
  const began = performance.now();
  for (let n = 0; n < PER_SECOND * SECONDS; ) {
    const due = ((performance.now() - began) / 1000) * PER_SECOND;
    for (; n <= due; n++) {
      const started = performance.now();
      commits.write(groups[n % groups.length] ?? []);
      writes.push(commits.flushed().then(() => void times.push(performance.now() - started)));
    }
    await sleep(1);
  }
  await Promise.all(writes);
  return times;
}

/** Returns how many groups a second reach the disk, if each writer waits for its group. */
async function measureThroughput(store: Store, groups: readonly Change[][]): Promise<number> {
  const commits = openGroups(store);
  const count = PER_SECOND * SECONDS;
  const began = performance.now();
  await postAll(WRITERS, count, async (n) => {
    commits.write(groups[n % groups.length] ?? []);
    await commits.flushed();
  });
  return count / ((performance.now() - began) / 1000);
}

/** Records all sessions, and reads them back as a server does that starts again. */
async function fill(contender: Contender): Promise<string[]> {
  return withFolder(async (directory) => {
    const store = await openWarm(contender, directory);
    const recording = await recordAll(store);
    await store.close();
    const bytes = listFiles(directory).reduce((sum, file) => sum + statSync(file).size, 0);
    const cached = await readAll(contender, directory);
    for (const file of listFiles(directory)) dropFromCache(file);
    const uncached = await readAll(contender, directory);
    const perToken = bytes / (SESSIONS * SHAPE.tokens);
    const seconds = [recording, cached, uncached].map((each) => `${each.toFixed(1)} s`);
    return [seconds[0] ?? "", `${perToken.toFixed(1)} B`, ...seconds.slice(1)];
  });
}

/** Returns the seconds that commits took. Making the records does not count. */
async function recordAll(store: Store): Promise<number> {
  const commits = openGroups(store);
  let milliseconds = 0;
  for (let first = 0; first < SESSIONS; first += SIDE_BY_SIDE) {
    const sessions = Array.from({ length: Math.min(SIDE_BY_SIDE, SESSIONS - first) }, (_, i) => makeChanges(first + i));
    const began = performance.now();
    for (let call = 0; call < SHAPE.calls; call++) {
      for (const groups of sessions) commits.write(groups[call] ?? []);
      await commits.flushed();
    }
    milliseconds += performance.now() - began;
  }
  return milliseconds / 1000;
}

/** Opens the store, reads each session, and returns the seconds that this took. */
async function readAll(contender: Contender, directory: string): Promise<number> {
  const began = performance.now();
  const store = await contender.open(directory);
  let bytes = 0;
  for (let number = 0; number < SESSIONS; number++) bytes += await store.readRecords(sessionKey(number));
  const seconds = (performance.now() - began) / 1000;
  await store.close();
  if (bytes < SESSIONS * SHAPE.tokens * 4) throw new Error(`${contender.name} returned ${bytes} bytes only`);
  return seconds;
}

/** Opens a store and waits until its threads run. */
async function openWarm(contender: Contender, directory: string): Promise<Store> {
  const store = await contender.open(directory);
  for (const changes of makeChanges(TIMED)) await store.commit(changes);
  return store;
}

function openGroups(store: Store): GroupCommit {
  return new GroupCommit({ commit: (changes) => store.commit(changes), delayMilliseconds: 0 });
}

function listFiles(directory: string): string[] {
  return readdirSync(directory).map((name) => join(directory, name));
}

function describe({ p50, p99, perSecond }: Figures): string[] {
  return [`${median(p50).toFixed(2)} ms`, `${median(p99).toFixed(2)} ms`, `${median(perSecond).toFixed(0)}/s`];
}

function describeDisk(syncTimes: readonly number[]): string {
  const times = [0.5, 0.99].map((q) => `${quantile(syncTimes, q).toFixed(2)} ms`).join(" and ");
  return `The disk takes ${times} (p50 and p99) for fdatasync after a write of 16 KiB.\n`;
}
