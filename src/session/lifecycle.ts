import { Waiters } from "../support/async/waiters.js";

/**
 * - `active`: accepts model calls.
 * - `ended`: accepts rewards and waits for its export.
 * - `exported`: the key is revoked. The data is kept for another export until retention ends. With `acknowledge`, it is kept until
 *   the acknowledgement; if none comes in time, the session is `ended` again.
 * - `expired`: there was no call for too long, or the session was deleted. The data is freed.
 */
export type SessionState = "active" | "ended" | "exported" | "expired";

/**
 * The outcome of an export.
 *
 * - `taken`: the session is exported.
 * - `held`: the session is exported, but is `ended` again if the export is not acknowledged in time.
 * - `left`: the session stays as it was.
 */
export type ExportOutcome = "taken" | "held" | "left";

/** The values of a lifecycle that are stored. */
export interface StoredLifecycle {
  readonly state: SessionState;
  readonly endedAt?: number | undefined;
  readonly freed: boolean;
  readonly held: boolean;
  readonly acknowledged: boolean;
}

/** The state of a session, the tasks that wait for it to change, and the number of exports being packed. */
export class Lifecycle {
  #state: SessionState = "active";
  #endedAt: number | undefined;
  #freed = false;
  #held = false;
  #acknowledged = false;
  #exports = 0;
  // Created when a task waits. An export settles tens of thousands of sessions in one iteration of the event loop, and most of that time
  // is spent on reading objects that are not in the processor's cache.
  #whenEnded: Waiters | undefined;
  #whenSettled: Waiters | undefined;
  readonly #onChange: (() => void) | undefined;

  /**
   * @param onChange called after each change of the state
   * @param stored the lifecycle of a session that an earlier process started
   */
  constructor(onChange?: () => void, stored?: StoredLifecycle) {
    this.#onChange = onChange;
    if (!stored) return;
    this.#state = stored.state;
    this.#endedAt = stored.endedAt;
    this.#freed = stored.freed;
    this.#held = stored.held;
    this.#acknowledged = stored.acknowledged;
  }

  get state(): SessionState {
    return this.#state;
  }

  get endedAt(): number | undefined {
    return this.#endedAt;
  }

  get freed(): boolean {
    return this.#freed;
  }

  /** True while the session is exported, but none of its exports is final: each still waits for an acknowledgement. */
  get held(): boolean {
    return this.#held;
  }

  /** True once an export was acknowledged. There are no further exports, also if the data could not be freed yet. */
  get acknowledged(): boolean {
    return this.#acknowledged;
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
    this.#onChange?.();
    this.#whenEnded?.wake();
    return true;
  }

  /** Resolves when the session is no longer active, after `milliseconds`, or when the signal aborts. */
  async waitEnd(milliseconds: number, signal?: AbortSignal): Promise<void> {
    if (this.#state !== "active" || milliseconds <= 0) return;
    this.#whenEnded ??= new Waiters();
    await this.#whenEnded.wait(milliseconds, signal);
  }

  /** Begins an export: until it ends, calls and rewards are refused. */
  beginExport(): void {
    this.#exports++;
  }

  /** Ends an export that {@link beginExport} began. */
  endExport(outcome: ExportOutcome): void {
    this.#exports--;
    if (outcome === "held") this.#held ||= this.#state === "ended";
    if (outcome === "taken") this.#held = false;
    if (outcome !== "left") {
      this.#state = "exported";
      this.#onChange?.();
    }
    if (this.#exports === 0) this.#whenSettled?.wake();
  }

  /** Makes the export of a held session final. The session can be exported again while it is retained. */
  take(): void {
    this.#held = false;
    this.#onChange?.();
  }

  /** Makes the export of a held session final, and the last one. */
  acknowledge(): void {
    this.#acknowledged = true;
    this.take();
  }

  /** Makes a held session `ended` again. Returns false if it is not held. */
  reopen(): boolean {
    if (!this.#held) return false;
    this.#held = false;
    this.#state = "ended";
    this.#onChange?.();
    return true;
  }

  /** Resolves when no export is being packed, or after `milliseconds`. */
  async waitSettled(milliseconds = Number.POSITIVE_INFINITY): Promise<void> {
    const until = performance.now() + milliseconds;
    for (let left = milliseconds; this.exporting && left > 0; left = until - performance.now()) {
      this.#whenSettled ??= new Waiters();
      await this.#whenSettled.wait(left);
    }
  }

  free(state: "exported" | "expired"): void {
    this.#state = state;
    this.#held = false;
    this.#freed = true;
    this.#onChange?.();
    this.#whenEnded?.wake();
  }
}
