import { z } from "zod";
import type { ConnectionPool } from "../client/connection-pool.js";
import { proxyUrl } from "../client/transport.js";
import type { AbortSource } from "../support/async/abort-source.js";
import { backoffMilliseconds } from "../support/async/backoff.js";
import { sleep } from "../support/async/sleep.js";
import { untilAborted } from "../support/async/until-aborted.js";
import type { RolloutEngine } from "./contract.js";

const PAUSES = { firstMilliseconds: 100, longestMilliseconds: 2_000 };
/** Pause between two questions of {@link ProxyWatch.whenGone}. */
const WATCH_MS = 5_000;
/** A stopped process accepts connections and does not answer. */
const PROBE_TIMEOUT_MS = 5_000;
/** A proxy without its engine has its sessions and starts new ones. */
const NO_ENGINE = "engine_unavailable";
/** A cordoned proxy has its sessions and starts no new ones. */
const CORDONED = "cordoned";

const healthReply = z.object({
  status: z.string(),
  workers: z.array(z.object({ status: z.string() })).default([]),
});

const watches = new WeakMap<ConnectionPool, Map<string, ProxyWatch>>();

/** Returns what this process knows about a proxy. All episodes that share its connections share it. */
export function watchProxy({ connections, url }: Pick<RolloutEngine, "connections" | "url">): ProxyWatch {
  const address = proxyUrl(url);
  const known = watches.get(connections) ?? new Map<string, ProxyWatch>();
  watches.set(connections, known);
  const watch = known.get(address) ?? new ProxyWatch(address, connections);
  known.set(address, watch);
  return watch;
}

/** Notes when a proxy was lost, and waits until it answers again. */
export class ProxyWatch {
  readonly #url: string;
  readonly #connections: ConnectionPool;
  #lostAt = Number.NEGATIVE_INFINITY;
  #isAbsent = false;
  /** Is called with true when the proxy stops answering, and with false when it answers again. */
  onChange: ((isAbsent: boolean) => void) | undefined;

  constructor(url: string, connections: ConnectionPool) {
    this.#url = url;
    this.#connections = connections;
  }

  /** True if it did not answer, and was not seen to answer since. */
  get isAbsent(): boolean {
    return this.#isAbsent;
  }

  /** @param isAbsent true if it did not answer; false if it answers, but has lost sessions */
  noteLoss(isAbsent: boolean): void {
    this.#lostAt = performance.now();
    if (isAbsent) this.#set(true);
  }

  /** @param time on the clock of `performance.now()` */
  wasLostSince(time: number): boolean {
    return this.#lostAt >= time;
  }

  /**
   * Waits until the proxy can start sessions: a gateway needs a worker. Returns false if it does not answer for `seconds`.
   *
   * @throws the reason of the signal
   */
  async waitUntilAnswers(seconds: number, signal?: AbortSource): Promise<boolean> {
    const until = performance.now() + seconds * 1000;
    for (let earlier = 0; ; earlier++) {
      if (await this.answers()) return true;
      const left = until - performance.now();
      if (left <= 0) return false;
      await sleep(Math.min(left, backoffMilliseconds(earlier, PAUSES) * (0.5 + Math.random())), signal);
    }
  }

  /**
   * Asks the proxy again and again. Resolves when it has not answered for `seconds`.
   *
   * @throws the reason of the signal
   */
  async whenGone(seconds: number, signal: AbortSource): Promise<void> {
    let answeredAt = performance.now();
    while (performance.now() - answeredAt < seconds * 1000) {
      await sleep(WATCH_MS, signal);
      const states = await this.#ask();
      if (startsSessions(states) || states.includes(CORDONED)) answeredAt = performance.now();
    }
  }

  /** Asks the proxy once if it can start sessions. */
  async answers(): Promise<boolean> {
    return startsSessions(await this.#ask());
  }

  #set(isAbsent: boolean): void {
    if (isAbsent === this.#isAbsent) return;
    this.#isAbsent = isAbsent;
    this.onChange?.(isAbsent);
  }

  /** Returns the states of the proxy and of the workers behind it; none if it does not answer. */
  async #ask(): Promise<readonly string[]> {
    const states = await this.#probe().catch(() => []);
    this.#set(!startsSessions(states));
    return states;
  }

  async #probe(): Promise<readonly string[]> {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    const request = { method: "GET", headers: {}, signal } as const;
    // `untilAborted`, because undici ignores the signal while it opens a connection.
    const { body } = await untilAborted(this.#connections.request(`${this.#url}/health`, request), signal);
    const { status, workers } = healthReply.parse(JSON.parse(Buffer.from(body).toString()));
    return [status, ...workers.map((worker) => worker.status)];
  }
}

/** @param states of the proxy, then of the workers behind it */
function startsSessions(states: readonly string[]): boolean {
  return states[0] === "ok" || states.includes(NO_ENGINE);
}
