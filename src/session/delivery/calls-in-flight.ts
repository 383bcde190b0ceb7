import { AbortSwitch } from "../../support/async/abort-switch.js";
import { Waiters } from "../../support/async/waiters.js";
import { hashText } from "../../support/hash-text.js";
import { SessionError } from "../errors.js";
import { type Attempt, identifyRequest } from "./attempt.js";
import type { RequestAttempts } from "./attempts.js";

/** One model call in flight. */
export interface InFlightCall {
  readonly attempt: Attempt;
  readonly retryCount: number;
  readonly aborting: AbortSwitch;
}

/** Identifies a request, so that attempts at the same request can be matched. */
export interface RequestIdentity {
  /** Digest of the request's content. Equal for all attempts at a request. */
  readonly requestKey: string;
  /** How often the client had sent the request before, as its SDK reports. */
  readonly retryCount: number;
  /** The header `idempotency-key`: equal for all attempts at a request, different for other requests. */
  readonly idempotencyKey?: string | undefined;
}

/** The model calls that a session has in flight. */
export class CallsInFlight {
  readonly #attempts: RequestAttempts;
  readonly #live = new Map<Attempt, InFlightCall>();
  readonly #idle = new Waiters();

  constructor(attempts: RequestAttempts) {
    this.#attempts = attempts;
  }

  get size(): number {
    return this.#live.size;
  }

  /**
   * Begins a call.
   *
   * If it is a retry with the `idempotency-key` of a call in flight, it aborts that call. Without a key the call in
   * flight may be another sample of the same prompt, whose client still waits for it. If retries arrive in the wrong order,
   * an earlier retry does not abort a later one.
   *
   * @param aborting the choices of one call share it, so that all are aborted with one
   */
  begin({ requestKey, retryCount, idempotencyKey }: RequestIdentity, aborting = new AbortSwitch()): InFlightCall {
    const request = identifyRequest(requestKey, idempotencyKey === undefined ? undefined : hashText(idempotencyKey));
    const attempt = this.#attempts.begin(request, retryCount);
    const call = { attempt, retryCount, aborting };
    this.#live.set(attempt, call);
    const earlier = attempt.earlier && this.#live.get(attempt.earlier);
    if (earlier && idempotencyKey !== undefined && earlier.retryCount < retryCount) {
      earlier.aborting.abort(new SessionError("call_superseded", "The client sent this request again."));
    }
    return call;
  }

  /**
   * Notes that a call was recorded. Call this before its answer is sent: if sessions are stored, the link to the attempt that it
   * repeats must be on disk by then.
   */
  recorded({ attempt }: InFlightCall, interaction: number): void {
    this.#attempts.record(attempt, interaction);
  }

  /** A call that ends without {@link recorded} has failed. */
  end({ attempt }: InFlightCall): void {
    this.#live.delete(attempt);
    if (attempt.outcome === "running") this.#attempts.fail(attempt);
    if (this.#live.size === 0) this.#idle.wake();
  }

  /** Resolves with true when no call is in flight, or with false after `milliseconds`. */
  waitIdle(milliseconds: number): Promise<boolean> {
    return this.#live.size === 0 ? Promise.resolve(true) : this.#idle.wait(milliseconds);
  }

  /**
   * Aborts every call in flight. Resolves when all have ended, with the number of those that were not recorded. A recorded call ends
   * once its record is on disk.
   */
  async abortAll(reason: SessionError): Promise<number> {
    const count = [...this.#live.keys()].filter(({ outcome }) => outcome === "running").length;
    for (const { aborting } of this.#live.values()) aborting.abort(reason);
    if (this.#live.size > 0) await this.#idle.wait(Number.POSITIVE_INFINITY);
    return count;
  }
}
