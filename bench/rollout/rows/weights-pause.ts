import { setTimeout as sleep } from "node:timers/promises";
import { ensureTinyModel } from "../../../src/engine/index.js";
import { connectProxy } from "../../../src/index.js";
import { milliseconds, type Row } from "../../export/row.js";
import { startChild } from "../../processes.js";
import { ADMIN_KEY } from "../../servers.js";
import { sized } from "../../sized.js";
import { median } from "../../text.js";

const WHAT = "pause of the embedded engine by new weights, tiny model";
const UPDATES = sized(20, 2, 10);
const CALLS_IN_FLIGHT = sized(8, 2);
const TARGET_SECONDS = 0.2;

/**
 * Measures for how long the embedded engine samples no token while it takes new weights. Calls are in flight the whole
 * time: each is cut by the update and goes on with the new weights.
 */
export async function measureWeightsPause(): Promise<Row> {
  const { folder } = await ensureTinyModel();
  const settings = ["server.port=0", "server.log_level=error", "engine.type=embedded"];
  const server = await startChild(process.execPath, ["dist/cli/main.js", "serve", ...settings], {
    ROLLTAPE_ADMIN_API_KEY: ADMIN_KEY,
  });
  await using proxy = connectProxy({ url: server.url, adminKey: ADMIN_KEY });
  const { admin } = proxy;
  const stop = new AbortController();
  try {
    await admin.grantCapacity(CALLS_IN_FLIGHT);
    const calls = Array.from({ length: CALLS_IN_FLIGHT }, async () => {
      const { sessionApiKey } = await admin.startSession();
      while (!stop.signal.aborted) await generate(server.url, sessionApiKey, stop.signal);
    });
    const pauses: number[] = [];
    for (let version = 1; version <= UPDATES; version++) {
      await sleep(200);
      const { pausedSeconds } = await admin.updateWeights({ version, path: folder });
      pauses.push(pausedSeconds ?? 0);
    }
    stop.abort();
    await Promise.allSettled(calls);
    const worst = Math.max(...pauses);
    return {
      what: `${WHAT}, ${CALLS_IN_FLIGHT} calls in flight`,
      measured: `${milliseconds(median(pauses))}, at most ${milliseconds(worst)}`,
      reference: "",
      verdict: { value: worst * 1000, target: TARGET_SECONDS * 1000, bound: "at most", unit: " ms" },
    };
  } finally {
    stop.abort();
    await server.stop();
  }
}

async function generate(url: string, key: string, signal: AbortSignal): Promise<void> {
  const reply = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ messages: [{ role: "user", content: "Write on." }], max_tokens: 400, temperature: 1 }),
    signal,
  });
  if (!reply.ok) throw new Error(`the proxy answered ${reply.status}: ${await reply.text()}`);
  await reply.arrayBuffer();
}
