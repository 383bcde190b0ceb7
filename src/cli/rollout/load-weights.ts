import { z } from "zod";
import { ProxyCalls } from "../../client/proxy-calls.js";
import { HttpTransport } from "../../client/transport.js";
import type { RolloutEngine } from "../../rollout/contract.js";
import { sleep } from "../../support/async/sleep.js";

const PATH = "/rl/weights";
/** Seconds that one call waits for the load. Its progress is then polled. */
const WAIT_SECONDS = 30;
const POLL_MS = 500;
const MOVING = new Set(["pausing", "loading", "resuming"]);

const record = z.object({ state: z.string(), version: z.int(), error: z.unknown() });

export interface Weights {
  readonly version: number;
  /** A file or folder that the engine can read. */
  readonly path: string;
}

/** Lets the proxy bring new weights to its engine. Resolves when calls go on with them, however long that takes. */
export async function loadWeights(engine: RolloutEngine, weights: Weights, signal: AbortSignal): Promise<void> {
  const calls = new ProxyCalls(new HttpTransport(engine.url, engine.connections), engine.adminKey);
  const body = { ...weights, wait_seconds: WAIT_SECONDS };
  const options = { path: PATH, idempotent: false, timeoutSeconds: 2 * WAIT_SECONDS, signal };
  let { state, version, error } = await calls.json({ ...options, body }, record);
  while (MOVING.has(state)) {
    await sleep(POLL_MS, signal);
    ({ state, version, error } = await calls.json({ ...options, method: "GET", idempotent: true }, record));
  }
  if (state === "idle" && version === weights.version) return;
  throw new Error(typeof error === "string" ? error : `the engine has version ${version} and is in state ${state}`);
}
