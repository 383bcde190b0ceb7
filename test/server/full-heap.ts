import { ADMIN_KEY, Proxy, type StartedSession } from "../helpers/proxy.js";
import { ScriptedEngine } from "../helpers/scripted-engine.js";

/**
 * Fills a server with sessions and calls with different prompts, and goes on after the server refuses them. Then exports every
 * session. Prints how many interactions were recorded and exported, and how many sessions and calls were refused.
 *
 *   node --max-old-space-size=128 --import tsx full-heap.ts
 */

const PARALLEL = 8;
/** Text in the heap for each call. */
const TEXT_BYTES = 200_000;
/** Far more text than fits. */
const CALLS = 600;

/** The scripted engine keeps its calls for tests. This alone would fill the heap. */
class ForgetfulEngine extends ScriptedEngine {
  override context = 1_000_000;
  override async generate(...call: Parameters<ScriptedEngine["generate"]>) {
    const result = await super.generate(...call);
    this.calls.length = 0;
    return result;
  }
}

const proxy = await Proxy.start({ engine: new ForgetfulEngine(), settings: { knownRequestBytes: 256 * 1024 ** 2 } });
const url = await proxy.app.listen({ host: "127.0.0.1", port: 0 });
const sessions: StartedSession[] = [];
const refused = { sessions: 0, calls: 0 };
let recorded = 0;
let number = 0;

async function startSession(): Promise<void> {
  await proxy.post("/grant_capacity", {});
  const reply = await proxy.post("/rl/start_session", {});
  if (reply.refusal === "503 store_full") {
    refused.sessions++;
    return;
  }
  const { session_id: id, session_api_key: key } = reply.json<{ session_id: string; session_api_key: string }>();
  sessions.push({ id, key });
}

async function call(): Promise<void> {
  const session = sessions[number % sessions.length];
  if (!session) throw new Error("No session was started.");
  const content = `${number++} ${" ".repeat(TEXT_BYTES)}.`;
  const { refusal } = await proxy.chat(session, [{ role: "user", content }]);
  if (refusal === "200") recorded++;
  else if (refusal === "503 store_full") refused.calls++;
  else throw new Error(refusal);
}

/** Exports over a socket, and reads only the header: a call without a socket copies the whole batch into the heap. */
async function countExported({ id }: StartedSession): Promise<number> {
  const reply = await fetch(`${url}/export_batch`, {
    method: "POST",
    headers: { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ session_ids: [id], layout: "packed" }),
  });
  if (!reply.ok) throw new Error(await reply.text());
  const block = Buffer.from(await reply.arrayBuffer());
  const header = block.subarray(8, 8 + Number(block.readBigUInt64LE()));
  return (JSON.parse(header.toString()) as { rewards: { shape: [number] } }).rewards.shape[0];
}

for (let i = 0; i < CALLS; i += PARALLEL) {
  await startSession();
  await Promise.all(Array.from({ length: PARALLEL }, call));
}

let exported = 0;
for (const session of sessions) {
  await proxy.end(session);
  exported += await countExported(session);
}
const { status: afterwards } = await proxy.post("/rl/start_session", {});
process.stdout.write(JSON.stringify({ recorded, exported, refused, afterwards }));
await proxy.close();
