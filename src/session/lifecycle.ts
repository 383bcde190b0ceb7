import { Waiters } from "../support/async/waiters.js";

/**
 * - `active`: accepts model calls.
 * - `ended`: accepts rewards and waits for its export.
 * - `exported`: the key is revoked. The data is kept for another export until retention ends.
 * - `expired`: there was no call for too long, or the session was deleted. The data is freed.
 */
export type SessionState = "active" | "ended" | "exported" | "expired";

/** The state of a session, the tasks that wait for it to change, and the number of exports being packed. */
export class Lifecycle {
  #state: SessionState = "active";
  #endedAt: number | undefined;
  #freed = false;
  #exports = 0;
  readonly #whenEnded = new Waiters();
  readonly #whenSettled = new Waiters();

  get state(): SessionState {
    return this.#state;
  }

  get endedAt(): number | undefined {
    return this.#endedAt;
  }

  get freed(): boolean {
    return this.#freed;
  }

  /** True while an export of the session is being packed. Calls and rewards are refused until then. */
  get exporting(): boolean {
    return this.#exports > 0;
  }

  /** Ends the session. Returns true if it was active until now. */
  end(): boolean {
    if (this.#state !== "active") return false;
    this.#state = "ended";
    this.#endedAt = Date.now();
    this.#whenEnded.wake();
    return true;
  }

  /** Resolves when the session is no longer active, after `milliseconds`, or when the signal aborts. */
  async waitEnd(milliseconds: number, signal?: AbortSignal): Promise<void> {
    if (this.#state === "active" && milliseconds > 0) await this.#whenEnded.wait(milliseconds, signal);
  }

  beginExport(): void {
    this.#exports++;
  }

  /** Ends what {@link beginExport} began. `sealed`: the export succeeded and the session is exported. */
  endExport(sealed: boolean): void {
    this.#exports--;
    if (sealed) this.#state = "exported";
    if (this.#exports === 0) this.#whenSettled.wake();
  }

  /** Resolves when no export is being packed, or after `milliseconds`. */
  async waitSettled(milliseconds = Number.POSITIVE_INFINITY): Promise<void> {
    const until = performance.now() + milliseconds;
    for (let left = milliseconds; this.exporting && left > 0; left = until - performance.now()) {
      await this.#whenSettled.wait(left);
    }
  }

  free(state: "exported" | "expired"): void {
    this.#state = state;
    this.#freed = true;
    this.#whenEnded.wake();
  }
}
