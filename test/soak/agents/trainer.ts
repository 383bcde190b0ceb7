import { setTimeout as sleep } from "node:timers/promises";
import type { Dispatcher } from "undici";
import { ownPauses } from "./own-pauses.js";

/**
 * Refusals after which a trainer sends the call again. On a busy machine, a worker does not answer its gateway in time, or has no slot,
 * because it did not answer when slots were granted, or a process stands still for so long that a request to a server or engine times out.
 */
const PASSING = /"code":"(worker_unavailable|no_capacity|request_timeout|engine_unavailable)"/;
const PAUSE_MS = 500;
/** Number of times that a call is sent. */
const MAX_TRIES = 120;

/** The trainer's calls to a proxy or gateway. Each throws an error with the server's message if it is refused for good. */
export class Trainer {
  readonly #pool: Dispatcher;
  readonly #adminKey: string;

  constructor(pool: Dispatcher, adminKey: string) {
    this.#pool = pool;
    this.#adminKey = adminKey;
  }

  async startSession(): Promise<{ readonly id: string; readonly key: string }> {
    await this.order("/grant_capacity", {});
    const reply = await this.post("/rl/start_session", {});
    const { session_id, session_api_key } = (await reply.json()) as { session_id: string; session_api_key: string };
    return { id: session_id, key: session_api_key };
  }

  async exportBatch(sessionIds: readonly string[], options: object): Promise<Uint8Array> {
    const reply = await this.post("/export_batch", { session_ids: sessionIds, ...options });
    return new Uint8Array(await reply.arrayBuffer());
  }

  /** Posts, and reads nothing of the answer. */
  async order(path: string, body: object, key?: string): Promise<void> {
    await (await this.post(path, body, key)).dump();
  }

  /** Posts with the admin key or a session key. */
  async post(path: string, body: object, key = this.#adminKey): Promise<Dispatcher.ResponseData["body"]> {
    const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
    for (let tries = 1; ; tries++) {
      const beganAt = performance.now();
      const reply = await this.#pool
        .request({ path, method: "POST", headers, body: JSON.stringify(body) })
        .catch((error: unknown) => {
          if (ownPauses.happenedSince(beganAt)) return undefined;
          throw error;
        });
      if (!reply) continue;
      if (reply.statusCode === 200) return reply.body;
      const text = await reply.body.text();
      if (!PASSING.test(text) || tries === MAX_TRIES) {
        throw new Error(`${path} was answered with ${reply.statusCode}: ${text}`);
      }
      if (text.includes("no_capacity")) await this.order("/grant_capacity", {});
      await sleep(PAUSE_MS);
    }
  }
}
