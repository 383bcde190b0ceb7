const BEAT_MS = 500;

/**
 * A pause of this process after which a server may have refused a half-sent request: 10 s. The shortest time-out of a server for a
 * request is 15 s (`HEADERS_TIMEOUT_MS`). A process that stood still for 10 s may send the rest after that.
 */
const LONG_MS = 10_000;

/**
 * Notices when the process of the agents stood still: it was stopped, or a busy machine left it no time. The server may have run
 * meanwhile. It then answered a half-sent request with 408 and reset the connection, as it must, and recorded nothing.
 */
export class OwnPauses {
  readonly #now: () => number;
  #beatAt: number;
  /** When the last long pause was over. */
  #pausedUntil = Number.NEGATIVE_INFINITY;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#beatAt = now();
    setInterval(() => this.#beat(), BEAT_MS).unref();
  }

  /** Returns true if this process stood still at any time since `start`, on the clock of `performance.now()`. */
  happenedSince(start: number): boolean {
    this.#beat();
    return this.#pausedUntil >= start;
  }

  #beat(): void {
    const now = this.#now();
    if (now - this.#beatAt >= LONG_MS) this.#pausedUntil = now;
    this.#beatAt = now;
  }
}

export const ownPauses = new OwnPauses();
