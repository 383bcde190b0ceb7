import { ApiError } from "../../http/errors.js";
import type { Session } from "../../session/session.js";

/** Limits of one session's calls to upstreams. Infinity: no limit. */
export interface UpstreamLimits {
  readonly calls: number;
  readonly concurrentCalls: number;
}

/** Counts the calls of sessions to upstreams, within their limits. */
export class UpstreamLoad {
  readonly #limits: UpstreamLimits;
  readonly #inFlight = new WeakMap<Session, number>();

  constructor(limits: UpstreamLimits) {
    this.#limits = limits;
  }

  /**
   * Counts a call.
   *
   * @returns a function that must be called when the answer is sent
   * @throws ApiError `session_limit` or `too_many_calls`
   */
  begin(session: Session): () => void {
    const inFlight = this.#inFlight.get(session) ?? 0;
    this.#requireRoom(session, inFlight);
    session.count("upstreamCalls");
    this.#inFlight.set(session, inFlight + 1);
    return () => this.#inFlight.set(session, (this.#inFlight.get(session) ?? 1) - 1);
  }

  #requireRoom({ id, counts }: Session, inFlight: number): void {
    const { upstreamCalls } = counts;
    const { calls, concurrentCalls } = this.#limits;
    if (upstreamCalls >= calls) {
      const message =
        `Session ${id} has made ${upstreamCalls} calls to upstreams (\`max_upstream_calls\`). ` +
        "Do not send the call again. Calls to the policy work as before.";
      const details = { limit: "max_upstream_calls", allowed: calls, used: upstreamCalls };
      throw new ApiError("session_limit", message, { details });
    }
    if (inFlight < concurrentCalls) return;
    const message =
      `Session ${id} has ${inFlight} of at most ${concurrentCalls} calls to upstreams in flight. ` +
      "Try again after the answer of one of them was read.";
    const details = { limit: "max_concurrent_upstream_calls", allowed: concurrentCalls, used: inFlight };
    throw new ApiError("too_many_calls", message, { details });
  }
}
