import { existsSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it, onTestFinished } from "vitest";
import { ConnectionPool } from "../../src/client/connection-pool.js";
import { InProcessClient, inProcessConnector } from "../../src/client/in-process-client.js";
import { type InProcessProxy, inProcessProxy } from "../../src/client/in-process-proxy.js";
import { parseConfig } from "../../src/config/index.js";
import { createSglangEngine, ensureTinyModel } from "../../src/engine/index.js";
import { loadChatModel } from "../../src/model/load-chat-model.js";
import { ScriptedEngine } from "../helpers/scripted-engine.js";
import { sharedDirectory } from "../helpers/shared-directory.js";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const HELLO = { model: "tiny", messages: [{ role: "user" as const, content: "hello" }] };
const NO_PROCESS = 2 ** 22 + 1;

async function loadTokenizer() {
  const tokenizer = await loadChatModel((await ensureTinyModel()).folder);
  onTestFinished(() => tokenizer.close());
  return tokenizer;
}

/** Returns functions that send requests with the admin key to a proxy in this process. */
function connectTo({ app, adminKey }: InProcessProxy) {
  const connections = new ConnectionPool(inProcessConnector(app.server));
  onTestFinished(() => connections.close());
  const headers = { authorization: `Bearer ${adminKey}` };
  const send = (path: string, body?: object) =>
    connections.fetch(`http://in-process${path}`, {
      headers: { ...headers, ...(body ? { "content-type": "application/json" } : {}) },
      ...(body ? { method: "POST", body: JSON.stringify(body) } : {}),
    });
  const metric = async (name: string) => {
    const text = await (await send("/metrics")).text();
    return Number(new RegExp(`^${name} (.*)$`, "m").exec(text)?.[1]);
  };
  return { send, metric };
}

it("expires idle sessions, forgets their requests and frees batches of dead readers, like a server", async () => {
  const agent = { session_timeout_seconds: 1, export_retention_seconds: 1 };
  const config = parseConfig({ server: { shared_memory_directory: sharedDirectory() }, rollout: { agent } });
  const options = { engine: new ScriptedEngine(), tokenizer: await loadTokenizer(), config };
  const { send, metric } = connectTo(await inProcessProxy(options));
  const [idle, exported] = [await InProcessClient.open(options), await InProcessClient.open(options)];
  for (const client of [idle, exported]) await client.chat.completions.create(HELLO);
  await exported.session.end();
  const ids = [exported.session.sessionId];
  const reply = await send("/export_batch", { session_ids: ids, transport: "shm", reader_pid: NO_PROCESS });
  const { path } = (await reply.json()) as { path: string };
  const readState = async () => {
    const session = await send(`/rl/sessions/${idle.session.sessionId}`);
    return ((await session.json()) as { state?: string }).state;
  };
  const readRemains = async () => [existsSync(path), await metric("rolltape_known_request_bytes"), await readState()];
  await expect.poll(readRemains, { timeout: 30_000 }).toEqual([false, 0, "expired"]);
});

it("does not keep an otherwise unused engine from being garbage-collected", async () => {
  const tokenizer = await loadTokenizer();
  const open = async () => {
    const engine = createSglangEngine({ urls: ["http://127.0.0.1:9"], timeoutSeconds: 1, maxInflight: 1 });
    await inProcessProxy({ engine, tokenizer });
    return new WeakRef(engine);
  };
  const engine = await open();
  const collected = async () => {
    await nextTurn();
    collect();
    return engine.deref() === undefined;
  };
  await expect.poll(collected, { timeout: 30_000 }).toBe(true);
});
