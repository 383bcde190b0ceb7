import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Pool, request } from "undici";

/**
 * Asks for /health until SIGTERM: on open connections, on new ones, and on new ones to the port for probes. Then prints the quantiles of
 * the answers' times in milliseconds.
 */

const INTERVAL_MS = 50;
/** Of so many probes, one opens a connection and one more opens a connection to the port for probes. */
const FRESH_EVERY = 5;
const CONNECTIONS = 4;

const [url = "", probeUrl = ""] = process.argv.slice(2);
const pool = new Pool(url, { connections: CONNECTIONS });
const times = { kept: [] as number[], fresh: [] as number[], probePort: [] as number[] };
type Kind = keyof typeof times;
let unhealthy = 0;
let running = true;
process.on("SIGTERM", () => {
  running = false;
});

async function askKept(): Promise<number> {
  const { statusCode, body } = await pool.request({ path: "/health", method: "GET" });
  await body.dump();
  return statusCode;
}

async function askFresh(base: string): Promise<number> {
  const { statusCode, body } = await request(`${base}/health`, { reset: true });
  await body.dump();
  return statusCode;
}

const ask: Record<Kind, () => Promise<number>> = {
  kept: askKept,
  fresh: () => askFresh(url),
  probePort: () => askFresh(probeUrl),
};
const SPECIAL: Readonly<Record<number, Kind>> = { 0: "fresh", 1: "probePort" };

async function probe(kind: Kind): Promise<void> {
  const started = performance.now();
  const status = await ask[kind]().catch(() => undefined);
  times[kind].push(performance.now() - started);
  if (status !== 200) unhealthy++;
}

/** Reads a counter of the kernel. */
function countOverflows(): number {
  const [names = [], values = []] = readFileSync("/proc/net/netstat", "utf8")
    .split("\n")
    .filter((line) => line.startsWith("TcpExt:"))
    .map((line) => line.split(" "));
  return Number(values[names.indexOf("ListenOverflows")] ?? 0);
}

function summarize(list: number[]) {
  list.sort((a, b) => a - b);
  const quantile = (q: number) => list[Math.min(list.length - 1, Math.floor(q * list.length))] ?? 0;
  return { probes: list.length, p50: quantile(0.5), p99: quantile(0.99), max: quantile(1) };
}

const overflowsBefore = countOverflows();
// Opens all connections of the pool before the calls arrive.
await Promise.all(Array.from({ length: CONNECTIONS }, askKept));
console.log(JSON.stringify({ event: "ready", url }));
const probes: Promise<void>[] = [];
for (let n = 0; running; n++) {
  probes.push(probe(SPECIAL[n % FRESH_EVERY] ?? "kept"));
  await sleep(INTERVAL_MS);
}
await Promise.all(probes);
const overflows = countOverflows() - overflowsBefore;
const { kept, fresh, probePort } = times;
const quantiles = { kept: summarize(kept), fresh: summarize(fresh), probePort: summarize(probePort) };
console.log(JSON.stringify({ ...quantiles, unhealthy, overflows }));
await pool.destroy();
