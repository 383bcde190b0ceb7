import { EngineError, type PauseMode } from "../engine.js";
import type { EngineServer } from "./engine-server.js";
import { isUnavailable } from "./errors.js";
import { PauseHold } from "./pause-hold.js";
import type { ServerPool } from "./server-pool.js";

/** Pauses and resumes the servers of a pool, one request for it after the other. */
export class PauseControl {
  /** What calls wait at meanwhile. */
  readonly hold = new PauseHold();
  readonly #pool: ServerPool;
  #last: Promise<unknown> = Promise.resolve();

  constructor(pool: ServerPool) {
    this.#pool = pool;
  }

  pause(mode: PauseMode): Promise<void> {
    return this.#inTurn(() => this.#pause(mode));
  }

  resume(): Promise<void> {
    return this.#inTurn(() => this.#resume());
  }

  /** A resume that overtook a pause would leave servers paused to which calls are sent. */
  #inTurn(task: () => Promise<void>): Promise<void> {
    const done = this.#last.then(task);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #pause(mode: PauseMode): Promise<void> {
    this.hold.close(mode);
    this.#pool.suspendChecks();
    try {
      await this.#onEvery((server) => server.pause(mode));
    } catch (error) {
      await this.#resume().catch(() => undefined);
      throw error;
    }
  }

  async #resume(): Promise<void> {
    try {
      await this.#onEvery((server) => server.resume());
    } finally {
      this.#pool.restartChecks();
      this.hold.open();
    }
  }

  /** Rejects with the first failure once all have answered. */
  async #onEvery(task: (server: EngineServer) => Promise<void>): Promise<void> {
    const { servers } = this.#pool;
    const outcomes = await Promise.allSettled(servers.map(task));
    const draining = new Set(this.#pool.list().flatMap(({ url, state }) => (state === "draining" ? [url] : [])));
    outcomes.forEach((outcome, index) => {
      const url = servers[index]?.url ?? "";
      if (outcome.status === "fulfilled" || (draining.has(url) && isUnavailable(outcome.reason))) return;
      throw named(url, outcome.reason);
    });
  }
}

function named(url: string, error: unknown): unknown {
  return error instanceof EngineError
    ? new EngineError(error.code, `${url}: ${error.message}`, { cause: error })
    : error;
}
