import { SessionError } from "./errors.js";

/** One model call in flight. */
export interface Call {
  /** Chain digest of the request's messages: equal for a request that a client's SDK sends again. */
  readonly requestKey: string;
  /** The attempt before this one was recorded and its answer was lost: it is an orphan to drop. */
  readonly replaces: boolean;
  readonly controller: AbortController;
}

/**
 * The model calls that a session has in flight, and what became of requests that were sent twice.
 *
 * A client's SDK that repeats a request (after a time-out, say) never saw the first answer. The repeated call takes its
 * place: an attempt still in flight is aborted, one that was recorded becomes an orphan.
 */
export class CallTracker {
  readonly #live = new Set<Call>();
  readonly #failed = new Set<string>();
  readonly #idle: (() => void)[] = [];

  get size(): number {
    return this.#live.size;
  }

  begin(requestKey: string, retryCount: number): Call {
    const retried = retryCount > 0;
    let superseded = false;
    if (retried) {
      for (const live of this.#live) {
        if (live.requestKey !== requestKey) continue;
        live.controller.abort(new SessionError("call_superseded", "The client sent this request again."));
        superseded = true;
      }
    }
    const replaces = retried && !superseded && !this.#failed.has(requestKey);
    const call = { requestKey, replaces, controller: new AbortController() };
    this.#live.add(call);
    return call;
  }

  end(call: Call, recorded: boolean): void {
    this.#live.delete(call);
    if (recorded) this.#failed.delete(call.requestKey);
    else if (!wasSuperseded(call)) this.#failed.add(call.requestKey);
    if (this.#live.size === 0) for (const wake of this.#idle.splice(0)) wake();
  }

  /** Resolves with true once no call is in flight, with false after `milliseconds`. */
  async waitIdle(milliseconds: number): Promise<boolean> {
    if (this.#live.size === 0) return true;
    let timer: NodeJS.Timeout | undefined;
    const idle = new Promise<boolean>((resolve) => this.#idle.push(() => resolve(true)));
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), milliseconds);
    });
    try {
      return await Promise.race([idle, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Aborts every call in flight; resolves with their number when all have ended. */
  async abortAll(reason: SessionError): Promise<number> {
    const count = this.#live.size;
    for (const call of this.#live) call.controller.abort(reason);
    if (count > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
    return count;
  }
}

function wasSuperseded(call: Call): boolean {
  const reason: unknown = call.controller.signal.reason;
  return reason instanceof SessionError && reason.code === "call_superseded";
}
