import type { Deadline } from "../../../support/async/deadline.js";
import { FairQueue } from "../../../support/async/fair-queue.js";

/**
 * The places of one engine server. Each running request takes one. If all are taken, requests wait, and sessions take turns. So a
 * session with thousands of requests delays a request of another session only until a place becomes free.
 */
export class ServerPlaces {
  /** Requests that may run at once. */
  readonly limit: number;
  #taken = 0;
  /** A waiter is served true if it gets a place, and false if it is sent away. */
  readonly #queue = new FairQueue<boolean>();

  constructor(limit: number) {
    this.limit = limit;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** Takes a place if one is free. No place is free while requests wait, because a returned place goes to one of them. */
  tryTake(): boolean {
    if (this.#taken === this.limit) return false;
    this.#taken++;
    return true;
  }

  /**
   * Waits for a place. Stops the clock of the call's deadline meanwhile: the limit is for the engine's work, and calls must not
   * fail because a server is busy. Rejects with the deadline's reason if it aborts first.
   *
   * @returns false if the request was sent away
   */
  async wait(session: string, deadline: Deadline): Promise<boolean> {
    using _stopped = deadline.stopClock();
    return await this.#queue.wait(session, deadline);
  }

  /** Gives a place back. It goes directly to a waiting request, so that a later request cannot take it first. */
  giveBack(): void {
    if (!this.#queue.serve(true)) this.#taken--;
  }

  /** Sends all waiting requests away, so that they are routed again. */
  sendAway(): void {
    this.#queue.serveAll(false);
  }

  /** Rejects all waiting requests. */
  close(reason: unknown): void {
    this.#queue.rejectAll(reason);
  }
}
