import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Row, Verdict } from "../export/row.js";
import { BenchReport } from "../kit/report.js";
import type { Child } from "../processes.js";
import { startProxy, startScript } from "../servers.js";
import { sized } from "../sized.js";
import { median } from "../text.js";
import { Agents } from "./agents.js";
import { cpuMillisecondsOfTree } from "./cpu.js";

/**
 * Measures the processor time of a new proxy: until it is ready, while it is idle, and for each call at 100 calls per second with an engine
 * that takes 300 ms. V8 has compiled nothing at first, so the first calls cost most.
 *
 *   npm run bench:cold
 *   npm run bench:cold -- --rounds 5 --calls 1000 -- "" "--sparkplug" "--always-sparkplug"
 *   npm run bench:cold -- --calls 1000 --before 3000
 *
 * Each argument behind `--` is a variant: arguments of Node, and `build=FOLDER` for another build than `dist`. The variants take turns.
 * With `--before`, so many calls come first, as fast as the proxy answers. They show what a warm-up of the same length costs and gains.
 */

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: String(sized(3, 1, 1)) },
    calls: { type: "string", default: String(sized(6000, 20, 2000)) },
    before: { type: "string", default: "0" },
    stream: { type: "boolean", default: false },
  },
});
const CALLS = Number(options.calls);
const PER_SECOND = 100;
const ENGINE_MS = 300;
/** Each has 400 ms for a call. */
const AGENTS = 40;
/** More than any proxy answers, and enough agents that none waits for the engine. */
const BEFORE = { calls: Number(options.before), perSecond: 10_000, agents: 600 };
const IDLE_SECONDS = sized(5, 0.5);
/** Time for work that a start leaves for later. */
const SETTLE_SECONDS = sized(2, 0.2);
const CONNECTIONS = 512;
/** Calls after which the processor time is read. */
const MARKS = sized([640, 1000, 2000, 5000], [10]).filter((mark) => mark < CALLS);
const TARGETS = { call: 1.2, idle: 2 };

type Measured = ReadonlyMap<string, number>;

/** One new proxy, from its start to its end. */
async function measure(engineUrl: string, variant: string): Promise<Measured> {
  const results = new Map<string, number>();
  const words = variant.split(" ").filter(Boolean);
  const build = words.find((word) => word.startsWith("build="))?.slice("build=".length);
  const nodeArguments = words.filter((word) => word.startsWith("--"));
  const began = performance.now();
  const proxy = await startProxy({ engineUrl, connections: CONNECTIONS, nodeArguments, ...(build && { build }) });
  results.set("ready after (ms)", performance.now() - began);
  results.set("until ready", cpuMillisecondsOfTree(proxy.pid));
  const settled = spent(proxy);
  await sleep(SETTLE_SECONDS * 1000);
  results.set("soon after it", settled());
  results.set("idle, before calls", await idle(proxy));
  if (BEFORE.calls > 0) {
    const part = spent(proxy);
    await callOften(proxy);
    results.set(`${BEFORE.calls} calls before`, part());
  }
  const agents = new Agents(proxy, AGENTS, options.stream);
  try {
    let last = 0;
    const start = spent(proxy);
    for (const mark of [...MARKS, CALLS]) {
      const part = spent(proxy);
      await agents.callUntil(mark, PER_SECOND);
      results.set(`calls ${last + 1} to ${mark}`, part() / (mark - last));
      if (mark === FIRST) results.set(`calls 1 to ${mark}`, start() / mark);
      last = mark;
    }
    await sleep(SETTLE_SECONDS * 1000);
    results.set("idle, after calls", await idle(proxy));
    return results;
  } finally {
    await agents.close();
    await proxy.stop();
  }
}

async function callOften(proxy: Child): Promise<void> {
  const agents = new Agents(proxy, Math.min(BEFORE.agents, BEFORE.calls), options.stream);
  await agents.callUntil(BEFORE.calls, BEFORE.perSecond);
  await agents.close();
}

/** The calls that the target is about. */
const FIRST = 1000;

/** Returns a function that returns the milliseconds of processor time since now. */
function spent({ pid }: Child): () => number {
  const before = cpuMillisecondsOfTree(pid);
  return () => cpuMillisecondsOfTree(pid) - before;
}

async function idle(proxy: Child): Promise<number> {
  const part = spent(proxy);
  await sleep(IDLE_SECONDS * 1000);
  return part() / IDLE_SECONDS;
}

const report = new BenchReport();
const engine = await startScript(new URL("engine-process.ts", import.meta.url), String(ENGINE_MS));
try {
  const variants = positionals.length > 0 ? positionals : [""];
  const rounds = variants.map(() => [] as Measured[]);
  for (let round = 0; round < Number(options.rounds); round++)
    for (const [i, variant] of variants.entries()) rounds[i]?.push(await measure(engine.url, variant));
  report.addRows(variants.flatMap((variant, i) => toRows(variant, rounds[i] ?? [])));
} finally {
  await engine.stop();
}

function toRows(variant: string, rounds: readonly Measured[]): Row[] {
  return [...(rounds[0]?.keys() ?? [])].map((name) => {
    const values = rounds.map((round) => round.get(name) ?? Number.NaN);
    const unit = name.startsWith("calls") ? "ms a call" : name.startsWith("idle") ? "ms a second" : "ms";
    const verdict = verdictOf(name, median(values));
    return {
      what: [variant, name].filter(Boolean).join(": "),
      measured: `${values.map((value) => value.toFixed(value < 10 ? 2 : 0)).join(", ")} ${unit}`,
      reference: "",
      ...(verdict && { verdict }),
    };
  });
}

function verdictOf(name: string, value: number): Verdict | undefined {
  if (name === `calls 1 to ${FIRST}`) return { value, target: TARGETS.call, bound: "at most", unit: " ms" };
  if (name.startsWith("idle")) return { value, target: TARGETS.idle, bound: "at most", unit: " ms" };
  return undefined;
}
