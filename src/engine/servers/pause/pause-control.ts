import { setImmediate } from "node:timers/promises";
import { EngineError, type PauseMode, type ResumeOptions, type ServerFailures } from "../../engine.js";
import type { EngineServer } from "../engine-server.js";
import type { ServerPool } from "../pool/server-pool.js";
import { isUnavailable } from "../wire/errors.js";
import { PauseHold } from "./pause-hold.js";

/** Turns of the event loop in which what has arrived in sockets is read. */
const SOCKET_TURNS = 2;

/** Time limit for giving a server its version. */
const NAME_MS = 10_000;

/** Pauses and resumes the servers of a pool, one request after another. */
export class PauseControl {
  /** Holds calls back while the servers are paused. */
  readonly hold = new PauseHold();
  readonly #pool: ServerPool;
  #last: Promise<unknown> = Promise.resolve();

  constructor(pool: ServerPool) {
    this.#pool = pool;
  }

  /** @param urls the servers to pause; default: all. Calls to the other servers wait too. */
  pause(mode: PauseMode, urls?: readonly string[]): Promise<void> {
    return this.#inTurn(() => this.#pause(mode, urls));
  }

  resume(options: ResumeOptions = {}): Promise<void> {
    return this.#inTurn(() => this.#resume(options));
  }

  /** Pauses servers for a weight update. Whatever fails, calls stay held and the other servers stay paused. */
  pauseEach(urls: readonly string[], cutAll = false): Promise<ServerFailures> {
    return this.#inTurn(async () => {
      const mayKeep = !cutAll && this.#pool.servers.some((server) => server.pauseForUpdate !== undefined);
      this.hold.close("abort", mayKeep);
      this.#pool.suspendChecks();
      return this.#tryEach(urls, (server) => {
        return server.pauseForUpdate && !cutAll ? server.pauseForUpdate() : server.pause("abort");
      });
    });
  }

  /** Resumes servers after a weight update. Calls stay held until {@link release}. */
  resumeEach(urls: readonly string[]): Promise<ServerFailures> {
    return this.#inTurn(async () => {
      await this.#endPause();
      return this.#tryEach(urls, (server) => server.resume());
    });
  }

  /** Lets the held calls go on. */
  release(): Promise<void> {
    return this.#inTurn(async () => {
      this.#pool.restartChecks();
      this.hold.open();
    });
  }

  /** See {@link ServerControl.nameVersion}. */
  nameVersion(version: number): Promise<ServerFailures> {
    return this.#inTurn(() => {
      const inUse = this.#pool.list().flatMap(({ url, state }) => (state === "draining" ? [] : [url]));
      return this.#tryEach(inUse, (server) => this.#nameVersion(server, version));
    });
  }

  async #nameVersion(server: EngineServer, version: number): Promise<void> {
    const { versions } = server;
    const mayRun = this.hold.mode === undefined;
    if (mayRun) versions.beginChange();
    // Whoever updated the weights may have given the server the version.
    const hadVersion = (await server.weightUpdate()).version === version;
    try {
      if (hadVersion || (await server.setWeightVersion(version, AbortSignal.timeout(NAME_MS)))) versions.given(version);
    } catch (error) {
      versions.refused();
      throw error;
    } finally {
      if (mayRun) versions.endChange(hadVersion);
    }
  }

  /** Tokens of the time before the pause may still be in the sockets: they are read first. */
  async #endPause(): Promise<void> {
    for (let turn = 0; turn < SOCKET_TURNS; turn++) await setImmediate();
    this.hold.resume();
  }

  async #tryEach(
    urls: readonly string[],
    task: (server: EngineServer) => Promise<void>,
  ): Promise<Map<string, EngineError>> {
    const failures = new Map<string, EngineError>();
    const servers = this.#pool.servers.filter(({ url }) => urls.includes(url));
    await Promise.all(
      servers.map(async (server) => {
        try {
          await task(server);
          this.#pool.reportReached(server.url);
        } catch (error) {
          if (!(error instanceof EngineError)) throw error;
          failures.set(server.url, error);
        }
      }),
    );
    return failures;
  }

  /** Runs tasks one after another. If a resume overtook a pause, calls would be sent to paused servers. */
  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const done = this.#last.then(task);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #pause(mode: PauseMode, urls?: readonly string[]): Promise<void> {
    this.hold.close(mode);
    this.#pool.suspendChecks();
    try {
      await this.#onEvery(urls, (server) => server.pause(mode));
    } catch (error) {
      await this.#resume({ urls }).catch(() => undefined);
      throw error;
    }
  }

  async #resume({ urls, hold = false }: ResumeOptions): Promise<void> {
    await this.#endPause();
    try {
      await this.#onEvery(urls, (server) => server.resume());
    } finally {
      if (!hold) {
        this.#pool.restartChecks();
        this.hold.open();
      }
    }
  }

  /** Runs a task on each server. Rejects with the first failure after all servers have answered. */
  async #onEvery(urls: readonly string[] | undefined, task: (server: EngineServer) => Promise<void>): Promise<void> {
    const servers = this.#pool.servers.filter(({ url }) => urls?.includes(url) ?? true);
    const outcomes = await Promise.allSettled(servers.map(task));
    const draining = new Set(this.#pool.list().flatMap(({ url, state }) => (state === "draining" ? [url] : [])));
    outcomes.forEach((outcome, index) => {
      const url = servers[index]?.url ?? "";
      if (outcome.status === "fulfilled") return this.#pool.reportReached(url);
      if (draining.has(url) && isUnavailable(outcome.reason)) return;
      throw addUrl(url, outcome.reason);
    });
  }
}

function addUrl(url: string, error: unknown): unknown {
  return error instanceof EngineError
    ? new EngineError(error.code, `${url}: ${error.message}`, { cause: error })
    : error;
}
