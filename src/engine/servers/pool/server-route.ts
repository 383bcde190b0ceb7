import { EngineError } from "../../engine.js";
import { NotStartedError } from "../wire/errors.js";
import type { PoolMember } from "./pool-member.js";
import { ServerLease } from "./server-lease.js";

/** The servers that one request may go to, best first. Each gets the request at most once. */
export class ServerRoute {
  readonly #members: Iterator<PoolMember>;
  #refusal: NotStartedError | undefined;
  /** The last server that did not begin with the request. */
  #refused: PoolMember | undefined;
  #leased: PoolMember | undefined;

  constructor(members: readonly PoolMember[]) {
    this.#members = members.values();
  }

  /** The error if no server took the request. */
  get refusal(): EngineError {
    return this.#refusal ?? new EngineError("engine_unavailable", "Every engine server is being drained.");
  }

  /**
   * Returns a lease on the next server that is not being drained; undefined if none is left. Rejects with the signal's
   * reason if the signal aborts while the request waits for a connection.
   */
  async next(signal: AbortSignal): Promise<ServerLease | undefined> {
    for (let next = this.#members.next(); !next.done; next = this.#members.next()) {
      const member = next.value;
      if (member.draining) continue;
      this.#refused?.tally.addFailover();
      this.#refused = undefined;
      this.#leased = member;
      try {
        return await ServerLease.acquire(member, signal);
      } catch (error) {
        this.refuse(error);
      }
    }
    return undefined;
  }

  /**
   * Notes that the last server did not begin with the request, so the next one may get it.
   *
   * @throws the error if the request may have begun
   */
  refuse(error: unknown): void {
    if (!(error instanceof NotStartedError)) throw error;
    this.#refusal = chooseSooner(this.#refusal, error);
    this.#refused = this.#leased;
  }
}

/** Returns the refusal that allows a retry sooner. If both allow it at the same time, returns the later refusal. */
function chooseSooner(earlier: NotStartedError | undefined, later: NotStartedError): NotStartedError {
  const wait = (error?: NotStartedError): number => error?.retryAfterMilliseconds ?? Number.POSITIVE_INFINITY;
  return earlier && wait(earlier) < wait(later) ? earlier : later;
}
