import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "undici";
import { readOpenFileLimit } from "../../src/support/open-file-limit.js";
import { BenchReport } from "../report/bench-report.js";
import { ADMIN_KEY, startProxy, startScript } from "../servers.js";
import { sized } from "../sized.js";
import { median } from "../text.js";

/**
 * Measures how long a single call takes while another session has thousands of calls open, compared with the same call alone. If the
 * calls were served in their order of arrival, the single call would wait for all of them.
 *
 *   npm run bench:fairness
 */

/** Sockets and files of the server besides those of the flood. */
const OTHER_FILES = 1500;
/** Open calls of the other session. Fewer if `ulimit -n` does not allow them. */
const FLOOD = Math.min(sized(8000, 40), (readOpenFileLimit() ?? Number.POSITIVE_INFINITY) - OTHER_FILES);
/** Generations that the engine runs at once. */
const PLACES = sized(256, 4);
const GENERATION_MS = sized(500, 50);
const SINGLES = sized(10, 2);

const report = new BenchReport("fairness");
const engine = await startScript(new URL("engine-process.ts", import.meta.url), String(GENERATION_MS));
// By default a session may have 256 calls in flight.
const args = ["server.max_concurrent_calls=null"];
const proxy = await startProxy({ engineUrl: engine.url, connections: PLACES, args });
const pool = new Pool(proxy.url, { headersTimeout: 0, bodyTimeout: 0 });
try {
  const [single, other] = [await startSession(), await startSession()];
  await callRepeatedly(single);
  const alone = await callRepeatedly(single);
  const flood = await startScript(new URL("flood-process.ts", import.meta.url), proxy.url, other, String(FLOOD));
  // All calls of the flood have arrived once so many wait.
  while ((await countWaiting()) < 0.9 * (FLOOD - PLACES)) await sleep(100);
  const beside = await callRepeatedly(single);
  const waiting = await countWaiting();
  await flood.stop();
  const seconds = (times: readonly number[]) =>
    [median(times), Math.max(...times)].map((ms) => (ms / 1000).toFixed(2)).join(", ");
  const inOrder = ((FLOOD / PLACES) * GENERATION_MS) / 1000;
  const columns = [
    "open calls of the other session",
    "of these waiting",
    "alone: median, worst (s)",
    "beside it: median, worst (s)",
    "in order (s)",
  ];
  report.addTable(columns, [
    [FLOOD.toLocaleString("en"), waiting.toLocaleString("en"), seconds(alone), seconds(beside), inOrder.toFixed(1)],
  ]);
  report.write();
  console.log(
    `Time of a single call, median and worst of ${SINGLES}. The engine runs ${PLACES} generations of ${GENERATION_MS} ms at once. ` +
      "In order: the wait if the oldest call always came first.",
  );
} finally {
  await pool.destroy();
  await proxy.stop();
  await engine.stop();
}

async function send(path: string, key: string, body: object): Promise<string> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
  const reply = await pool.request({ path, method: "POST", headers, body: JSON.stringify(body) });
  const text = await reply.body.text();
  if (reply.statusCode !== 200) throw new Error(`the proxy answered ${reply.statusCode}: ${text.slice(0, 500)}`);
  return text;
}

async function startSession(): Promise<string> {
  await send("/grant_capacity", ADMIN_KEY, {});
  return (JSON.parse(await send("/rl/start_session", ADMIN_KEY, {})) as { session_api_key: string }).session_api_key;
}

/** Makes one call after the other. Returns their times in milliseconds. */
async function callRepeatedly(key: string): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < SINGLES; i++) {
    const started = performance.now();
    const messages = [{ role: "user", content: `hello ${i}` }];
    await send("/v1/chat/completions", key, { messages, max_tokens: 16 });
    times.push(performance.now() - started);
  }
  return times;
}

async function countWaiting(): Promise<number> {
  const { body } = await pool.request({ path: "/metrics", method: "GET" });
  const sample = /^rolltape_engine_server_inflight_requests\{.*place="waiting"\} (\d+)$/m.exec(await body.text())?.[1];
  return Number(sample ?? 0);
}
