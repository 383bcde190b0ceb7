import { EngineError, type PauseMode, type ResumeOptions } from "../../engine.js";
import type { EngineServer } from "../engine-server.js";
import type { ServerPool } from "../pool/server-pool.js";
import { isUnavailable } from "../wire/errors.js";
import { PauseHold } from "./pause-hold.js";

/** Pauses and resumes the servers of a pool, one request for it after the other. */
export class PauseControl {
  /** Holds calls back while the servers are paused. */
  readonly hold = new PauseHold();
  readonly #pool: ServerPool;
  #last: Promise<unknown> = Promise.resolve();

  constructor(pool: ServerPool) {
    this.#pool = pool;
  }

  /** @param told the servers to pause. Calls to the others wait too. */
  pause(mode: PauseMode, told?: readonly string[]): Promise<void> {
    return this.#inTurn(() => this.#pause(mode, told));
  }

  resume(options: ResumeOptions = {}): Promise<void> {
    return this.#inTurn(() => this.#resume(options));
  }

  /** A resume that overtook a pause would leave servers paused to which calls are sent. */
  #inTurn(task: () => Promise<void>): Promise<void> {
    const done = this.#last.then(task);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #pause(mode: PauseMode, told?: readonly string[]): Promise<void> {
    this.hold.close(mode);
    this.#pool.suspendChecks();
    try {
      await this.#onEvery(told, (server) => server.pause(mode));
    } catch (error) {
      await this.#resume({ told }).catch(() => undefined);
      throw error;
    }
  }

  async #resume({ told, hold = false }: ResumeOptions): Promise<void> {
    try {
      await this.#onEvery(told, (server) => server.resume());
    } finally {
      if (!hold) {
        this.#pool.restartChecks();
        this.hold.open();
      }
    }
  }

  /** Rejects with the first failure once all have answered. */
  async #onEvery(told: readonly string[] | undefined, task: (server: EngineServer) => Promise<void>): Promise<void> {
    const servers = this.#pool.servers.filter(({ url }) => told?.includes(url) ?? true);
    const outcomes = await Promise.allSettled(servers.map(task));
    const draining = new Set(this.#pool.list().flatMap(({ url, state }) => (state === "draining" ? [url] : [])));
    outcomes.forEach((outcome, index) => {
      const url = servers[index]?.url ?? "";
      if (outcome.status === "fulfilled") return this.#pool.reportReached(url);
      if (draining.has(url) && isUnavailable(outcome.reason)) return;
      throw named(url, outcome.reason);
    });
  }
}

function named(url: string, error: unknown): unknown {
  return error instanceof EngineError
    ? new EngineError(error.code, `${url}: ${error.message}`, { cause: error })
    : error;
}
