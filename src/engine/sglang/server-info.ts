import type { ServerConnections } from "../servers/wire/connections.js";
import { jsonObject } from "../servers/wire/json.js";

/** The current name first, then the older one. */
const INFO_PATHS = ["server_info", "get_server_info"];

/** Time limit of a request. It is short, because a call waits for it. */
const ASK_MS = 2_000;

/** How long an answer counts. The server may be restarted with other arguments. */
const KNOWN_MS = 60_000;

/**
 * Knows whether a server enforces budgets for the reasoning. It does if it was started with `--enable-strict-thinking` and
 * `--reasoning-parser`; otherwise it ignores them without an error.
 */
export class StrictThinking {
  readonly #connections: ServerConnections;
  #answer: Promise<boolean> | undefined;
  #askAgainAt = 0;

  constructor(connections: ServerConnections) {
    this.#connections = connections;
  }

  /** Never rejects. A server that does not answer counts as one that does not enforce budgets. */
  ask(): Promise<boolean> {
    if (!this.#answer || performance.now() >= this.#askAgainAt) {
      this.#answer = this.#request();
      this.#askAgainAt = performance.now() + KNOWN_MS;
    }
    return this.#answer;
  }

  async #request(): Promise<boolean> {
    for (const path of INFO_PATHS) {
      const answer = await this.#connections.get(path, AbortSignal.timeout(ASK_MS)).catch(() => undefined);
      if (answer?.status !== 200) continue;
      const info = jsonObject(answer.body);
      return info["enable_strict_thinking"] === true && typeof info["reasoning_parser"] === "string";
    }
    this.#answer = undefined;
    return false;
  }
}
