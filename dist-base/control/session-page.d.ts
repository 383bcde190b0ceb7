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
export declare const sessionCursor: z.ZodPipe<z.ZodString, z.ZodTransform<SessionCursor, string>>;
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
export declare function cutPage<T extends ListedSession>(sessions: readonly T[], { after, limit }: PageRequest): SessionPage<T>;
/** Returns the cursor of the page that begins after a session. */
export declare function formatCursor(session: ListedSession): string;
