import type { ConnectionPool, HttpReply } from "../../src/client/connection-pool.js";
import type { RolloutEngine } from "../../src/rollout/contract.js";
import { createDeferred } from "../../src/support/async/deferred.js";
import { settled } from "./held-workflow.js";

const IDLE = {
  state: "idle",
  target_version: null,
  mode: null,
  path: null,
  started_at: null,
  paused_seconds: null,
  error: null,
  servers: [],
};

/** A proxy that answers the calls of a trainer when the test says so. */
export class HeldProxy {
  /** Paths and bodies of the calls so far. */
  readonly calls: [path: string, body: object][] = [];
  readonly engine: RolloutEngine;
  readonly #answers: ((reply: HttpReply) => void)[] = [];

  constructor() {
    const request: ConnectionPool["request"] = async (url, { body = "{}", signal }) => {
      signal.throwIfAborted();
      this.calls.push([new URL(url).pathname, JSON.parse(body) as object]);
      const { promise, resolve } = createDeferred<HttpReply>();
      this.#answers.push(resolve);
      return promise;
    };
    const connections = { request } as ConnectionPool;
    this.engine = { url: "http://proxy", adminKey: "sk-admin-of-no-proxy", connections };
  }

  /** Answers the oldest call that waits. */
  async answer(status = 200): Promise<void> {
    const version = 1;
    const body = status === 200 ? { ...IDLE, version } : { error: { message: "no", code: "internal_error" } };
    this.#answers.shift()?.({ status, headers: {}, body: Buffer.from(JSON.stringify(body)) });
    await settled();
  }
}
