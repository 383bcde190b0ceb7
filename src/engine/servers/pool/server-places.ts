import type { Deadline } from "../../../support/async/deadline.js";
import { FairQueue } from "../../../support/async/fair-queue.js";

/**
 * The places of one engine server: each running request takes one. If all are taken, requests wait, and sessions take turns
 * for places that become free. A session with thousands of requests thus delays a request of another session by about as
 * long as it takes until a place becomes free.
 */
export class ServerPlaces {
  /** Requests that may run at once. */
  readonly limit: number;
  #taken = 0;
  /** Waiters get true with a place, and false if they were sent away. */
  readonly #queue = new FairQueue<boolean>();

  constructor(limit: number) {
    this.limit = limit;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** Takes a place if one is free. While requests wait, none is: a place that is returned goes to one of them. */
  tryTake(): boolean {
    if (this.#taken === this.limit) return false;
    this.#taken++;
    return true;
  }

  /**
   * Waits for a place. The clock of the call's deadline stands still meanwhile: the limit is for the engine's work, and
   * would otherwise fail calls of a server that is only busy.
   *
   * @returns false if the request was sent away. Rejects with the signal's reason if the signal aborts first.
   */
  async wait(session: string, deadline: Deadline): Promise<boolean> {
    using _stopped = deadline.stopClock();
    return await this.#queue.wait(session, deadline.signal);
  }

  /** Returns a place. It passes directly to a request that waits, so that one that comes later cannot take it. */
  giveBack(): void {
    if (!this.#queue.serve(true)) this.#taken--;
  }

  /** Sends every request that waits away, to be routed again. */
  sendAway(): void {
    this.#queue.serveAll(false);
  }

  /** Rejects every request that waits. */
  close(reason: unknown): void {
    this.#queue.rejectAll(reason);
  }
}
