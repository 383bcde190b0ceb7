import { SessionError } from "./errors.js";
import { Waiters } from "./waiters.js";

/** One model call in flight. */
export interface Call {
  /** Chain digest of the request's messages: equal for a request that a client's SDK sends again. */
  readonly requestKey: string;
  readonly replaces: Replaces;
  readonly controller: AbortController;
}

/**
 * Which recorded interaction a repeated request takes the place of: none, the one with this index, or the newest with the
 * same messages.
 */
export type Replaces = "none" | "newest" | number;

/** An attempt whose answer did not reach the client: it failed, or this interaction was recorded all the same. */
type LostAttempt = "failed" | number;

/** More lost attempts of one request than this are not told apart. */
const MAX_LOST = 16;

/**
 * The model calls that a session has in flight, and what became of requests that were sent twice.
 *
 * A client's SDK that repeats a request (after a time-out, say) never saw the answer of an earlier attempt. Requests with
 * the same messages may also be samples side by side, so a repeated one takes the place of one attempt only: one that
 * did not reach the client; else one in flight; else the newest that was recorded.
 */
export class CallTracker {
  readonly #live = new Set<Call>();
  readonly #lost = new Map<string, LostAttempt[]>();
  readonly #answered = new Set<string>();
  readonly #idle = new Waiters();

  get size(): number {
    return this.#live.size;
  }

  begin(requestKey: string, retryCount: number): Call {
    const replaces = retryCount > 0 ? this.#replacedBy(requestKey) : "none";
    const call = { requestKey, replaces, controller: new AbortController() };
    this.#live.add(call);
    return call;
  }

  end(call: Call, recorded: boolean): void {
    this.#live.delete(call);
    if (recorded) this.#answered.add(call.requestKey);
    else if (!wasSuperseded(call)) this.#addLost(call.requestKey, "failed");
    if (this.#live.size === 0) this.#idle.wake();
  }

  /** The call was recorded, but its client was gone before the answer was sent. */
  undelivered(call: Call, interaction: number): void {
    this.#addLost(call.requestKey, interaction);
  }

  /** Resolves with true once no call is in flight, with false after `milliseconds`. */
  waitIdle(milliseconds: number): Promise<boolean> {
    return this.#live.size === 0 ? Promise.resolve(true) : this.#idle.wait(milliseconds);
  }

  /** Aborts every call in flight; resolves with their number when all have ended. */
  async abortAll(reason: SessionError): Promise<number> {
    const count = this.#live.size;
    for (const call of this.#live) call.controller.abort(reason);
    if (this.#live.size > 0) await this.#idle.wait(Number.POSITIVE_INFINITY);
    return count;
  }

  #replacedBy(requestKey: string): Replaces {
    const lost = this.#lost.get(requestKey)?.pop();
    if (lost !== undefined) return lost === "failed" ? "none" : lost;
    if (this.#answered.has(requestKey)) return "newest";
    for (const live of this.#live) {
      if (live.requestKey !== requestKey) continue;
      live.controller.abort(new SessionError("call_superseded", "The client sent this request again."));
      break;
    }
    return "none";
  }

  #addLost(requestKey: string, attempt: LostAttempt): void {
    const attempts = this.#lost.get(requestKey) ?? [];
    if (attempts.length < MAX_LOST) attempts.push(attempt);
    this.#lost.set(requestKey, attempts);
  }
}

function wasSuperseded(call: Call): boolean {
  const reason: unknown = call.controller.signal.reason;
  return reason instanceof SessionError && reason.code === "call_superseded";
}
