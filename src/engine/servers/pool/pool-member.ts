import { Waiters } from "../../../support/async/waiters.js";
import type { EngineServerCounts, EngineServerState } from "../../engine.js";
import type { EngineServer } from "../engine-server.js";
import { isUnavailable } from "../wire/errors.js";
import { HealthMonitor } from "./health-monitor.js";
import { ServerPlaces } from "./server-places.js";

/**
 * If a server with requests sends nothing for this long, its scheduler is checked. A healthy server may be silent while it
 * works on a long prompt or on replies that are not streamed, but its scheduler answers.
 */
const SILENCE_MS = 60_000;

/** A request that runs on a server or waits for a place on it. */
export interface PoolRequest {
  /** Ends the request without a failure: it continues on another server. */
  cut(): void;
}

export interface PoolMemberOptions {
  /** Requests that may run at once. */
  readonly maxInflight: number;
  /** Interval between two health checks; 0 for none. */
  readonly intervalMilliseconds: number;
}

/** One server of a pool: its places, its health, and its requests and their outcomes. */
export class PoolMember {
  readonly server: EngineServer;
  /** Requests wait here for a free place. */
  readonly places: ServerPlaces;
  readonly monitor: HealthMonitor;
  readonly tally = new ServerTally();
  /** The server gets no more requests. */
  draining = false;
  readonly #requests = new Set<PoolRequest>();
  /** When the server last sent a part of a reply or got work, in milliseconds since the epoch. */
  #progressAt = Date.now();
  readonly #idle = new Waiters();

  constructor(server: EngineServer, { maxInflight, intervalMilliseconds }: PoolMemberOptions) {
    this.server = server;
    this.places = new ServerPlaces(maxInflight);
    this.monitor = new HealthMonitor({
      check: (signal) => this.#check(signal),
      intervalMilliseconds,
      // Without checks, calls are also routed to a server that is down, so its waiting requests stay.
      onDown: intervalMilliseconds > 0 ? () => this.places.sendAway() : undefined,
    });
  }

  get state(): EngineServerState {
    return {
      url: this.server.url,
      state: this.draining ? "draining" : this.monitor.state,
      healthy: this.monitor.state === "up",
      requests: this.#requests.size,
      waiting: this.places.waiting,
      maxInflight: this.places.limit,
      logprobs: this.server.logprobs ?? "unknown",
      counts: this.tally.counts,
      lastFailure: this.tally.lastFailure,
    };
  }

  /** Counts a request, from the moment that it waits for a place. */
  enter(request: PoolRequest): void {
    if (this.#requests.size === 0) this.noteProgress();
    this.#requests.add(request);
  }

  leave(request: PoolRequest): void {
    this.noteProgress();
    this.#requests.delete(request);
    if (this.#requests.size === 0) this.#idle.wake();
  }

  cutRequests(): void {
    for (const request of this.#requests) request.cut();
  }

  /** Notes that the server has sent a part of a reply, or may start to work. */
  noteProgress(): void {
    this.#progressAt = Date.now();
  }

  /** Resolves when the server has no requests. Rejects with the signal's reason if the signal aborts first. */
  async waitIdle(signal?: AbortSignal): Promise<void> {
    if (this.#requests.size === 0) return;
    if (!(await this.#idle.wait(Number.POSITIVE_INFINITY, signal))) signal?.throwIfAborted();
  }

  /**
   * Checks the server now, independent of the monitor. A failure counts only if the state was unknown, or if the monitor does
   * not check the server and so would not notice.
   */
  async checkNow(signal?: AbortSignal): Promise<void> {
    try {
      await this.#check(signal);
    } catch (error) {
      const counts = this.monitor.state === "unknown" || !this.monitor.isChecking;
      if (counts && isUnavailable(error)) this.monitor.reportFailure();
      throw error;
    }
    this.monitor.reportSuccess();
  }

  /** Rejects unless the server answers. If its requests have been silent for long, the scheduler must answer too. */
  async #check(signal?: AbortSignal): Promise<void> {
    await this.server.health(signal);
    const silent = this.#requests.size > 0 && Date.now() - this.#progressAt >= SILENCE_MS;
    if (silent) await this.server.schedulerHealth?.(signal);
  }
}

/** Counts the requests to one server by outcome. */
class ServerTally {
  readonly #counts: { -readonly [Outcome in keyof EngineServerCounts]: number } = {
    completed: 0,
    failed: 0,
    aborted: 0,
    failovers: 0,
  };
  #lastFailure: { readonly message: string; readonly at: number } | undefined;

  get counts(): EngineServerCounts {
    return { ...this.#counts };
  }

  get lastFailure(): { readonly message: string; readonly at: number } | undefined {
    return this.#lastFailure;
  }

  addCompleted(): void {
    this.#add("completed");
  }

  /** Counts a request that the caller aborted, which is no failure of the server. */
  addAborted(): void {
    this.#add("aborted");
  }

  /** Counts a failed request, or a failed question on which a request depends. */
  addFailed(error: unknown): void {
    this.#add("failed");
    this.#lastFailure = { message: error instanceof Error ? error.message : String(error), at: Date.now() };
  }

  /** Counts a request that did not begin here and went to another server. */
  addFailover(): void {
    this.#add("failovers");
  }

  #add(outcome: keyof EngineServerCounts): void {
    this.#counts[outcome]++;
  }
}
