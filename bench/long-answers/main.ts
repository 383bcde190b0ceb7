import { request } from "undici";
import { STORAGE_PARENT, withFolder } from "../durable/storage-folder.js";
import { BenchReport } from "../kit/report.js";
import type { Child } from "../processes.js";
import { readLoopDelay } from "../proxy/loop-delay.js";
import { ADMIN_KEY, startProxy, startScript } from "../servers.js";
import { sized } from "../sized.js";
import { median } from "../text.js";
import { ALTERNATIVES, CHOICE_TOKENS, CHOICES, TOKENS } from "./size.js";

/**
 * Measures how long the largest answer, and many choices of one call, stall the server's event loop. One client sends different requests
 * one after the other, without other load. Sessions are stored. The server is restarted before a response is read from disk.
 *
 *   npm run bench:answers [-- --directory=PATH]
 */

const ROUNDS = sized(5, 1, 2);
/** Short calls of a new server before the one that counts, so that its code is compiled. */
const WARM_UP_CALLS = sized(20, 2);
/** Characters that are kept of each answer. They contain its id. */
const BEGINNING = 1024;
const LOGPROBS = ["message.output_text.logprobs"];

interface Received {
  readonly milliseconds: number;
  readonly bytes: number;
  readonly beginning: string;
}

interface Measured extends Received {
  /** Longest stall of the event loop, in milliseconds. */
  readonly stall: number;
}

const report = new BenchReport({ folder: STORAGE_PARENT });
const rows = new Map<string, Measured[]>();
const engine = await startScript(new URL("engine-process.ts", import.meta.url));
try {
  for (let round = 0; round < ROUNDS; round++) await withFolder(measureRound);
} finally {
  await engine.stop();
}
console.log(
  `Output: ${TOKENS.toLocaleString("en-US")} tokens with ${ALTERNATIVES} alternatives each, except for choices.\n`,
);
const columns = ["request", "MB", "median time (ms)", "stalls (ms)", "worst (ms)"];
report.addTable(columns, [...rows].map(describe));

function describe([name, all]: [string, Measured[]]): string[] {
  const stalls = all.map(({ stall }) => stall);
  return [
    name,
    ((all[0]?.bytes ?? 0) / 1e6).toFixed(1),
    median(all.map(({ milliseconds }) => milliseconds)).toFixed(0),
    stalls.map((stall) => stall.toFixed(0)).join(", "),
    Math.max(...stalls).toFixed(1),
  ];
}

async function measureRound(directory: string): Promise<void> {
  let proxy = await start(directory);
  const restart = async () => {
    await proxy.stop();
    proxy = await start(directory);
    await warmUp(proxy);
  };
  try {
    await warmUp(proxy);
    const key = await startSession(proxy);
    const alternatives = { top_logprobs: ALTERNATIVES };
    const chat = { messages: [{ role: "user", content: "hello" }], logprobs: true, ...alternatives };
    await measure("POST /v1/chat/completions", proxy, key, "/v1/chat/completions", chat);
    const choices = { ...chat, top_logprobs: 0, n: CHOICES, max_tokens: CHOICE_TOKENS };
    const many = `${CHOICES} choices of ${CHOICE_TOKENS} tokens`;
    await measure(many, proxy, key, "/v1/chat/completions", choices);
    await measure(`${many}, streamed`, proxy, key, "/v1/chat/completions", { ...choices, stream: true });
    const response = { input: "hello", include: LOGPROBS, store: true, ...alternatives };
    const { beginning } = await measure("POST /v1/responses, stored", proxy, key, "/v1/responses", response);
    const id = readId(beginning);
    await measure("GET /v1/responses/{id}, from memory", proxy, key, `/v1/responses/${id}`);
    await restart();
    await measure("GET /v1/responses/{id}, from disk", proxy, key, `/v1/responses/${id}`);
    await restart();
    const next = { previous_response_id: id, input: "hello", store: false };
    await measure("POST /v1/responses that continues it, from disk", proxy, key, "/v1/responses", next);
  } finally {
    await proxy.stop();
  }
}

function start(directory: string): Promise<Child> {
  return startProxy({ engineUrl: engine.url, connections: CHOICES, args: [`storage.directory=${directory}`] });
}

async function warmUp(proxy: Child): Promise<void> {
  const key = await startSession(proxy);
  for (let i = 0; i < WARM_UP_CALLS; i++) {
    const messages = [{ role: "user", content: `hello ${i}` }];
    await send(proxy, key, "/v1/chat/completions", { messages, logprobs: true });
    const response = { input: `hello ${i}`, include: LOGPROBS, store: true };
    const { beginning } = await send(proxy, key, "/v1/responses", response);
    await send(proxy, key, `/v1/responses/${readId(beginning)}`);
  }
}

function readId(beginning: string): string {
  return /"id":"(resp_[0-9a-f]+)"/.exec(beginning)?.[1] ?? "";
}

async function startSession({ url }: Child): Promise<string> {
  const headers = { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" };
  await (await request(`${url}/grant_capacity`, { method: "POST", headers, body: "{}" })).body.dump();
  const reply = await request(`${url}/rl/start_session`, { method: "POST", headers, body: "{}" });
  return ((await reply.body.json()) as { session_api_key: string }).session_api_key;
}

/** Sends one request and adds its answer to the row of this name. */
async function measure(name: string, proxy: Child, key: string, path: string, body?: object): Promise<Received> {
  await readStall(proxy);
  const received = await send(proxy, key, path, body);
  const measured = { ...received, stall: await readStall(proxy) };
  rows.set(name, [...(rows.get(name) ?? []), measured]);
  return received;
}

/** Sends one request, and reads its whole answer. Without a body it is a GET request. */
async function send({ url }: Child, key: string, path: string, body?: object): Promise<Received> {
  const began = performance.now();
  const authorization = `Bearer ${key}`;
  const reply = await request(url + path, {
    headersTimeout: 0,
    bodyTimeout: 0,
    ...(body
      ? {
          method: "POST",
          headers: { authorization, "content-type": "application/json" },
          body: JSON.stringify(body),
        }
      : { method: "GET", headers: { authorization } }),
  });
  let beginning = "";
  let bytes = 0;
  for await (const piece of reply.body as AsyncIterable<Buffer>) {
    if (beginning.length < BEGINNING) beginning += piece.toString("latin1", 0, BEGINNING);
    bytes += piece.length;
  }
  if (reply.statusCode !== 200) throw new Error(`${path}: the proxy answered ${reply.statusCode}: ${beginning}`);
  return { milliseconds: performance.now() - began, bytes, beginning };
}

/** Returns the longest stall of the event loop since the last call, in milliseconds. */
async function readStall({ url }: Child): Promise<number> {
  const { body } = await request(`${url}/metrics`);
  return readLoopDelay(await body.text()).max;
}
