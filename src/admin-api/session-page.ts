import { z } from "zod";

/** The fields by which a page is ordered. */
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
 * The position after a session, as `<created_at in milliseconds>:<session id>`. A cursor is a position in the order, not a
 * reference: it stays valid when its session is deleted, and on workers that never had that session.
 */
export const sessionCursor = z
  .string()
  .regex(/^\d{1,16}:.{1,512}$/, "must be `next` of an earlier page")
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

/** Returns one page of the sessions, oldest first, and the cursor of the next page. */
export function cutPage<T extends ListedSession>(
  sessions: readonly T[],
  { after, limit }: PageRequest,
): SessionPage<T> {
  const remaining =
    after === undefined ? [...sessions] : sessions.filter((session) => compare(toCursor(session), after) > 0);
  remaining.sort((a, b) => compare(toCursor(a), toCursor(b)));
  const page = remaining.slice(0, limit);
  const last = page.at(-1);
  return last && remaining.length > limit
    ? { sessions: page, has_more: true, next: formatCursor(last) }
    : { sessions: page, has_more: false, next: null };
}

/** Returns the cursor of the page that begins after a session. */
export function formatCursor(session: ListedSession): string {
  const { milliseconds, id } = toCursor(session);
  return `${milliseconds}:${id}`;
}

function toCursor({ session_id: id, created_at: seconds }: ListedSession): SessionCursor {
  return { milliseconds: Math.round(seconds * 1000), id };
}

/**
 * Orders sessions of the same millisecond by their ids, so that every worker gives the same order. Shorter ids come first,
 * because their counter is lower.
 */
function compare(a: SessionCursor, b: SessionCursor): number {
  if (a.milliseconds !== b.milliseconds) return a.milliseconds - b.milliseconds;
  return a.id.length - b.id.length || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}
