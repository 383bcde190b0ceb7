import { Pool } from "undici";
import { median } from "./measure.js";
import type { Child } from "./processes.js";
import { ADMIN_KEY } from "./servers.js";

const JSON_TYPE = { "content-type": "application/json" };

/** A server under load. */
export interface Target {
  readonly url: string;
  readonly pid: number;
  readonly pool: Pool;
  /** Returns the processor time that its process has used so far, in seconds. */
  cpuSeconds(): number;
}

/** Returns a server with a pool of so many connections to it. */
export function toTarget(child: Child, connections: number): Target {
  const pool = new Pool(child.url, { connections, headersTimeout: 0, bodyTimeout: 0 });
  return { url: child.url, pid: child.pid, pool, cpuSeconds: () => child.cpuSeconds() };
}

/** Starts a session and returns its key. */
export async function startSession({ pool }: Pick<Target, "pool">): Promise<string> {
  const post = async (path: string): Promise<unknown> => {
    const headers = { ...JSON_TYPE, authorization: `Bearer ${ADMIN_KEY}` };
    return (await pool.request({ path, method: "POST", headers, body: "{}" })).body.json();
  };
  await post("/grant_capacity");
  return ((await post("/rl/start_session")) as { session_api_key: string }).session_api_key;
}

/** Sends a chat call, and returns the body of its answer as text. */
export async function chat({ pool }: Pick<Target, "pool">, key: string, body: string | Buffer): Promise<string> {
  const headers = { ...JSON_TYPE, authorization: `Bearer ${key}` };
  const reply = await pool.request({ path: "/v1/chat/completions", method: "POST", headers, body });
  const text = await reply.body.text();
  if (reply.statusCode !== 200) throw new Error(`the proxy answered ${reply.statusCode}: ${text.slice(0, 500)}`);
  return text;
}

export interface Load {
  readonly perSecond: number;
  readonly p50: number;
  /** Processor time of the server per call, in milliseconds. Other load of the machine hardly affects it. */
  readonly cpu: number;
}

export interface Pace {
  readonly concurrency: number;
  readonly seconds: number;
}

/** Sends calls for some seconds, with this concurrency. */
export async function load(
  server: Target,
  { concurrency, seconds }: Pace,
  call: (worker: number) => Promise<unknown>,
): Promise<Load> {
  const times: number[] = [];
  const cpuBefore = server.cpuSeconds();
  const began = performance.now();
  const until = began + seconds * 1000;
  const work = async (worker: number) => {
    while (performance.now() < until) {
      const started = performance.now();
      await call(worker);
      times.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, (_, worker) => work(worker)));
  const perSecond = times.length / ((performance.now() - began) / 1000);
  return { perSecond, p50: median(times), cpu: ((server.cpuSeconds() - cpuBefore) * 1000) / times.length };
}

/** Interval of prom-client's timer in milliseconds. The delays in its metrics include this interval. */
const RESOLUTION_MS = 10;

/** Event-loop delays since the previous scrape, in milliseconds. */
interface LoopDelay {
  readonly p99: number;
  readonly max: number;
}

/** Reads the event-loop delays of a proxy from its metrics. Each read resets them. */
export async function readLoopDelay({ pool }: Pick<Target, "pool">): Promise<LoopDelay> {
  const { body } = await pool.request({ path: "/metrics", method: "GET" });
  const metrics = await body.text();
  const read = (name: string) => {
    const seconds = new RegExp(`^nodejs_eventloop_lag_${name}_seconds(?:\\{.*\\})? (\\S+)$`, "m").exec(metrics)?.[1];
    return Math.max(0, Number(seconds) * 1000 - RESOLUTION_MS);
  };
  return { p99: read("p99"), max: read("max") };
}
