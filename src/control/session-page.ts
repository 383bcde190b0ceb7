import { z } from "zod";

/** What a page is ordered by. */
export interface ListedSession {
  readonly session_id: string;
  /** Seconds since the epoch. */
  readonly created_at: number;
}

export interface SessionCursor {
  readonly milliseconds: number;
  readonly id: string;
}

/**
 * The place behind a session, as `<created_at in milliseconds>:<session id>`. It is a place in the order, not a session:
 * it stays valid after the session was deleted, and on workers that never had it.
 */
export const sessionCursor = z
  .string()
  .regex(/^\d{1,16}:.{1,512}$/, "must be `next` of an earlier answer")
  .transform((text): SessionCursor => {
    const colon = text.indexOf(":");
    return { milliseconds: Number(text.slice(0, colon)), id: text.slice(colon + 1) };
  });

export interface PageRequest {
  readonly after: SessionCursor | undefined;
  readonly limit: number;
}

export interface SessionPage<T> {
  readonly sessions: T[];
  readonly has_more: boolean;
  readonly next: string | null;
}

/** Returns one page of the sessions, oldest first, and where the next one begins. */
export function sessionPage<T extends ListedSession>(
  sessions: readonly T[],
  { after, limit }: PageRequest,
): SessionPage<T> {
  const left = after === undefined ? [...sessions] : sessions.filter((session) => compare(placeOf(session), after) > 0);
  left.sort((a, b) => compare(placeOf(a), placeOf(b)));
  const page = left.slice(0, limit);
  const last = page.at(-1);
  return last && left.length > limit
    ? { sessions: page, has_more: true, next: nextAfter(last) }
    : { sessions: page, has_more: false, next: null };
}

/** Returns the cursor of the page behind a session. */
export function nextAfter(session: ListedSession): string {
  const { milliseconds, id } = placeOf(session);
  return `${milliseconds}:${id}`;
}

function placeOf({ session_id: id, created_at: seconds }: ListedSession): SessionCursor {
  return { milliseconds: Math.round(seconds * 1000), id };
}

/** Ids order sessions of the same millisecond: their counter is not the same on two workers. */
function compare(a: SessionCursor, b: SessionCursor): number {
  if (a.milliseconds !== b.milliseconds) return a.milliseconds - b.milliseconds;
  return a.id.length - b.id.length || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}
