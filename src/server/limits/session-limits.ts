import { ApiError } from "../../http/errors.js";
import type { Session } from "../../session/session.js";
import type { SessionGrowth } from "../../session/session-size.js";

/** What one session may have. Infinity: no limit. */
export interface SessionLimits {
  readonly tokens: number;
  readonly calls: number;
  readonly bytes: number;
  readonly concurrentCalls: number;
}

/** The limits without those that are final for a session. */
export const NO_FINAL_LIMITS = {
  tokens: Number.POSITIVE_INFINITY,
  calls: Number.POSITIVE_INFINITY,
  bytes: Number.POSITIVE_INFINITY,
} as const satisfies Partial<SessionLimits>;

/** The calls that one session has in flight, and what their prompts add to it. */
export class SessionLoad {
  calls = 0;
  /** Calls that will be recorded if they succeed. */
  recorded = 0;
  tokens = 0;
  bytes = 0;

  add(calls: number, recorded: number): void {
    this.calls += calls;
    this.recorded += recorded;
  }

  grow(tokens: number, bytes: number): void {
    this.tokens += tokens;
    this.bytes += bytes;
  }
}

/**
 * Checks whether another call may begin.
 *
 * @throws ApiError `session_limit` or `too_many_calls`
 */
export function requireRoomForCall(session: Session, load: SessionLoad, limits: SessionLimits): void {
  const { interactionCount } = session;
  refuseBeyond(session, "calls", { used: interactionCount, wanted: interactionCount + load.recorded + 1 }, limits);
  requireRoom(session, { tokens: load.tokens + 1, bytes: load.bytes + 1 }, limits);
  if (load.calls < limits.concurrentCalls) return;
  const message =
    `Session ${session.id} has ${load.calls} calls in flight, as many as \`max_concurrent_calls\` allows. ` +
    "Try again when one of them has ended.";
  const details = { limit: "max_concurrent_calls", allowed: limits.concurrentCalls, used: load.calls };
  throw new ApiError("too_many_calls", message, { details });
}

/**
 * Checks whether the session can have so much more.
 *
 * @throws ApiError `session_limit`
 */
export function requireRoom(session: Session, { tokens, bytes }: SessionGrowth, limits: SessionLimits): void {
  const { storedTokens, storedBytes } = session;
  refuseBeyond(session, "tokens", { used: storedTokens, wanted: storedTokens + tokens }, limits);
  refuseBeyond(session, "bytes", { used: storedBytes, wanted: storedBytes + bytes }, limits);
}

function refuseBeyond(
  { id }: Session,
  limit: "tokens" | "calls" | "bytes",
  { used, wanted }: { readonly used: number; readonly wanted: number },
  limits: SessionLimits,
): void {
  const allowed = limits[limit];
  if (wanted <= allowed) return;
  const name = `max_session_${limit}`;
  const [has, most] = [used, allowed].map((count) => count.toLocaleString("en-US"));
  const message =
    `Session ${id} has ${has} ${limit} of the ${most} that \`${name}\` allows, and no room for this call. ` +
    "Do not send it again. Rewards, the end and the export of the session work as before.";
  throw new ApiError("session_limit", message, { details: { limit: name, allowed, used } });
}
