import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Pool, request } from "undici";

/**
 * Asks for /health until SIGTERM, on open connections and on new ones. Then prints the quantiles of the answers' times in milliseconds.
 */

const INTERVAL_MS = 50;
/** One of so many probes opens a connection. */
const FRESH_EVERY = 5;
const CONNECTIONS = 4;

const [url = ""] = process.argv.slice(2);
const pool = new Pool(url, { connections: CONNECTIONS });
const times = { kept: [] as number[], fresh: [] as number[] };
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

async function askFresh(): Promise<number> {
  const { statusCode, body } = await request(`${url}/health`, { reset: true });
  await body.dump();
  return statusCode;
}

async function probe(kind: "kept" | "fresh"): Promise<void> {
  const started = performance.now();
  const status = await (kind === "kept" ? askKept() : askFresh()).catch(() => undefined);
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
  probes.push(probe(n % FRESH_EVERY === 0 ? "fresh" : "kept"));
  await sleep(INTERVAL_MS);
}
await Promise.all(probes);
const overflows = countOverflows() - overflowsBefore;
console.log(JSON.stringify({ kept: summarize(times.kept), fresh: summarize(times.fresh), unhealthy, overflows }));
await pool.destroy();
