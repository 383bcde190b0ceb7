import type { Attempt } from "../agents/attempt.js";
import type { Generation } from "../engine/generation-log.js";
import type { Row } from "./read-rows.js";

/** The calls of some sessions, as the agents made them and as the server recorded them. */
export interface Evidence {
  /** The rows of the full export, with the generations that they recorded. */
  readonly recorded: ReadonlyMap<Row, readonly Generation[]>;
  readonly attempts: readonly Attempt[];
}

/**
 * Returns why the server could know that an answer did not reach its agent; undefined if it could not know. It could know in two cases:
 *
 * 1. It saw the connection close before the engine sampled the answer.
 * 2. The agent continued from the answer to a later attempt, and the server could know that this attempt repeats the call.
 */
export function findReason(row: Row, attempt: Attempt, { recorded, attempts }: Evidence): string | undefined {
  const { knownAt } = attempt;
  const endedAt = recorded.get(row)?.at(-1)?.endedAt ?? 0;
  if (knownAt !== undefined && knownAt < endedAt) {
    return `the server saw the connection close ${(endedAt - knownAt).toFixed(0)} ms before the answer was sampled`;
  }
  const rows = [...recorded.keys()];
  const continued = rows.find(
    ({ id, call, attempt: number }) =>
      call === row.call && number > row.attempt && rows.some(({ parent }) => parent === id),
  );
  const calls = { own: recorded.get(row) ?? [], retry: (continued && recorded.get(continued)) ?? [] };
  if (!continued || !isKnownRetry(attempt, calls, attempts)) return undefined;
  return `the agent continued from attempt ${continued.attempt}`;
}

/** The generations of an attempt, and of the later one that the agent continued from. */
export interface RepeatedCall {
  readonly own: readonly Generation[];
  readonly retry: readonly Generation[];
}

/**
 * Returns true if the server could know that a later attempt repeats this one: they have the same `idempotency-key`, or this one was
 * certainly the first to arrive and its answer was not sampled yet. Without a key, a call that arrives after an answer looks like another
 * sample of the same prompt, and so does one that arrives after its own retry.
 *
 * Connections may deliver in another order than the agent sent. The order is certain only if one event caused the other: before
 * the agent sent the next attempt, it read a part of this answer, or the engine got this call. All times are from one clock.
 */
export function isKnownRetry(attempt: Attempt, { own, retry }: RepeatedCall, attempts: readonly Attempt[]): boolean {
  if (attempt.keyed) return true;
  const [first, last, repeated] = [own[0], own.at(-1), retry[0]];
  if (!first || !last || !repeated) return false;
  const later = attempts.filter((each) => each.call === attempt.call && each.attempt > attempt.attempt);
  const wasRead = attempt.outcome.kind === "left" && attempt.outcome.begun;
  const arrivedFirst = wasRead || later.every(({ beganAt }) => first.beganAt < beganAt);
  return arrivedFirst && repeated.beganAt < last.endedAt;
}
