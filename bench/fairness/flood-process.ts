import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "undici";

/** Keeps calls of one session open until SIGTERM. Arguments: the address of the proxy, the key, and the number of calls. */

/** Without it, calls that fail at once would be repeated at once. */
const PAUSE_AFTER_FAILURE_MS = 1000;

const [url = "", key = "", count = ""] = process.argv.slice(2);
const pool = new Pool(url, { connections: Number(count), headersTimeout: 0, bodyTimeout: 0 });
const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };

async function work(n: number): Promise<never> {
  const body = JSON.stringify({ messages: [{ role: "user", content: `question ${n}` }], max_tokens: 16 });
  for (;;) {
    const status = await call(body).catch(() => undefined);
    if (status !== 200) await sleep(PAUSE_AFTER_FAILURE_MS);
  }
}

async function call(body: string): Promise<number> {
  const reply = await pool.request({ path: "/v1/chat/completions", method: "POST", headers, body });
  await reply.body.dump();
  return reply.statusCode;
}

for (let n = 0; n < Number(count); n++) void work(n);
console.log(JSON.stringify({ event: "ready", url }));
process.on("SIGTERM", () => process.exit());
