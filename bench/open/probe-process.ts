import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "undici";

/** Asks for /health every 50 ms until SIGTERM, then prints the quantiles of the answers' times in milliseconds. */

const INTERVAL_MS = 50;

const [url = ""] = process.argv.slice(2);
const pool = new Pool(url, { connections: 4 });
const times: number[] = [];
let unhealthy = 0;
let running = true;
process.on("SIGTERM", () => {
  running = false;
});
console.log(JSON.stringify({ event: "ready", url }));

async function probe(): Promise<void> {
  const started = performance.now();
  const status = await askHealth().catch(() => undefined);
  times.push(performance.now() - started);
  if (status !== 200) unhealthy++;
}

async function askHealth(): Promise<number> {
  const { statusCode, body } = await pool.request({ path: "/health", method: "GET" });
  await body.dump();
  return statusCode;
}

const probes: Promise<void>[] = [];
while (running) {
  probes.push(probe());
  await sleep(INTERVAL_MS);
}
await Promise.all(probes);
times.sort((a, b) => a - b);
const quantile = (q: number) => times[Math.min(times.length - 1, Math.floor(q * times.length))] ?? 0;
console.log(
  JSON.stringify({ probes: times.length, unhealthy, p50: quantile(0.5), p99: quantile(0.99), max: quantile(1) }),
);
await pool.destroy();
