import type { ServerConnections } from "../servers/wire/connections.js";
import { jsonObject } from "../servers/wire/json.js";

/** The current name first, then the older one. */
const INFO_PATHS = ["server_info", "get_server_info"];

/** Time limit of a request. It is short, because a call waits for it. */
const ASK_MS = 2_000;

/** How long an answer counts. The server may be restarted with other arguments. */
const KNOWN_MS = 60_000;

/** Abilities of a server. It ignores a budget or a seed without an error if it cannot follow it. */
export interface ServerAbilities {
  /** Enforces budgets for the reasoning: started with `--enable-strict-thinking` and `--reasoning-parser`. */
  readonly budgets: boolean;
  /** Samples the same tokens with the same seed: started with `--enable-deterministic-inference`. */
  readonly seeds: boolean;
  /**
   * Flushes its caches while generations wait in a pause of the mode `retract`, and reports the weight version of each of their
   * tokens. Older servers take the mode, but refuse the flush or report one version for all tokens.
   */
  readonly retracts: boolean;
  /** Frees memory when it is told to; without `--enable-memory-saver`, it answers that it did. True if it does not say. */
  readonly sleeps: boolean;
  /** Keeps its weights when it frees memory: started with `--enable-weights-cpu-backup`. */
  readonly keepsWeights: boolean;
}

const NONE: ServerAbilities = { budgets: false, seeds: false, retracts: false, sleeps: true, keepsWeights: false };

/** The first version that can do all of {@link ServerAbilities.retracts}. */
const RETRACTS_SINCE = [0, 5, 21] as const;

/** Asks `/server_info` what a server can do, and keeps the answer for {@link KNOWN_MS}. */
export class ServerInfo {
  readonly #connections: ServerConnections;
  #answer: Promise<ServerAbilities> | undefined;
  #known: ServerAbilities = NONE;
  #askAgainAt = 0;

  constructor(connections: ServerConnections) {
    this.#connections = connections;
  }

  /**
   * Never rejects. If the server does not answer, its last answer counts: its scheduler may be busy with a long prompt. Until the
   * first answer, it counts as one that can do nothing.
   */
  ask(): Promise<ServerAbilities> {
    if (!this.#answer || performance.now() >= this.#askAgainAt) {
      this.#answer = this.#request();
      this.#askAgainAt = performance.now() + KNOWN_MS;
    }
    return this.#answer;
  }

  async #request(): Promise<ServerAbilities> {
    for (const path of INFO_PATHS) {
      const answer = await this.#connections.get(path, AbortSignal.timeout(ASK_MS)).catch(() => undefined);
      if (answer?.status !== 200) continue;
      this.#known = readAbilities(answer.body);
      return this.#known;
    }
    this.#answer = undefined;
    return this.#known;
  }
}

function readAbilities(body: string): ServerAbilities {
  const info = jsonObject(body);
  return {
    budgets: info["enable_strict_thinking"] === true && typeof info["reasoning_parser"] === "string",
    seeds: info["enable_deterministic_inference"] === true,
    retracts: isSince(info["version"], RETRACTS_SINCE),
    sleeps: info["enable_memory_saver"] !== false,
    keepsWeights: info["enable_weights_cpu_backup"] === true,
  };
}

/** Returns true if a version such as `0.5.23.post1` is `since` or later. */
function isSince(version: unknown, since: readonly number[]): boolean {
  const parts = typeof version === "string" ? version.split(".").map((part) => Number.parseInt(part, 10)) : [];
  const differing = since.findIndex((number, index) => parts[index] !== number);
  return differing < 0 || (parts[differing] ?? 0) > (since[differing] ?? 0);
}
