import { ApiError } from "../../http/errors.js";
import type { Session } from "../../session/session.js";
import type { SessionGrowth } from "../../session/session-size.js";
import { groupDigits } from "../../support/group-digits.js";

/** Limits of one session. Infinity: no limit. */
export interface SessionLimits {
  readonly tokens: number;
  readonly calls: number;
  readonly bytes: number;
  readonly concurrentCalls: number;
}

/** Removes the limits of recorded calls, for calls that only count tokens. */
export const NO_FINAL_LIMITS = {
  tokens: Number.POSITIVE_INFINITY,
  calls: Number.POSITIVE_INFINITY,
  bytes: Number.POSITIVE_INFINITY,
} as const satisfies Partial<SessionLimits>;

/** Calls of one session that are in flight, and the tokens and bytes that their prompts add to it. */
export class SessionLoad {
  calls = 0;
  /** Calls that will be recorded if they succeed. */
  recordable = 0;
  tokens = 0;
  bytes = 0;

  add(calls: number, recordable: number): void {
    this.calls += calls;
    this.recordable += recordable;
  }

  grow(tokens: number, bytes: number): void {
    this.tokens += tokens;
    this.bytes += bytes;
  }
}

/**
 * Checks that the session may begin another call.
 *
 * @param begun calls in flight that are choices of the same request
 * @throws ApiError `session_limit` or `too_many_calls`
 */
export function requireRoomForCall(session: Session, load: SessionLoad, limits: SessionLimits, begun = 0): void {
  const { interactionCount } = session;
  refuseBeyond(session, "calls", { used: interactionCount, needed: interactionCount + load.recordable + 1 }, limits);
  requireRoom(session, { tokens: load.tokens + 1, bytes: load.bytes + 1 }, limits);
  if (load.calls < limits.concurrentCalls) return;
  const used = load.calls - begun;
  const message =
    `Session ${session.id} has ${used} of at most ${limits.concurrentCalls} calls in flight (\`max_concurrent_calls\`). ` +
    (begun > 0 ? "Each answer that this call asks for counts as one more. " : "") +
    "Try again when one of them has ended and its answer was read.";
  const details = { limit: "max_concurrent_calls", allowed: limits.concurrentCalls, used };
  throw new ApiError("too_many_calls", message, { details });
}

/**
 * Checks that a call does not ask for more answers than its session may ever have in flight.
 *
 * Such a call gets no `too_many_calls`, because clients would send it again in vain.
 *
 * @throws ApiError `invalid_value`
 */
export function requirePossibleChoices(choices: number, { concurrentCalls }: SessionLimits): void {
  if (choices <= concurrentCalls) return;
  const message =
    `The number of answers must be at most ${concurrentCalls} (server.max_concurrent_calls), ` +
    `because each counts as a call in flight; received ${choices}.`;
  throw new ApiError("invalid_value", message);
}

/**
 * Checks that the session has room for these tokens and bytes.
 *
 * @throws ApiError `session_limit`
 */
export function requireRoom(session: Session, { tokens, bytes }: SessionGrowth, limits: SessionLimits): void {
  const { size } = session.data;
  refuseBeyond(session, "tokens", { used: size.tokens, needed: size.tokens + tokens }, limits);
  refuseBeyond(session, "bytes", { used: size.bytes, needed: size.bytes + bytes }, limits);
}

function refuseBeyond(
  { id }: Session,
  limit: "tokens" | "calls" | "bytes",
  { used, needed }: { readonly used: number; readonly needed: number },
  limits: SessionLimits,
): void {
  const allowed = limits[limit];
  if (needed <= allowed) return;
  const name = `max_session_${limit}`;
  const [usedText, allowedText] = [used, allowed].map((count) => groupDigits(count));
  const message =
    `Session ${id} has used ${usedText} of ${allowedText} ${limit} (\`${name}\`), so it has no room for this call. ` +
    "Do not send the call again. Rewards, the end and the export of the session work as before.";
  throw new ApiError("session_limit", message, { details: { limit: name, allowed, used } });
}
