import { Session } from "../session.js";
import type { ImagePool } from "../session-images.js";
import { readStart, type SessionSummary } from "../session-summary.js";
import type { ToolLists } from "../tool-lists.js";
import { DamagedSessionError, describeRestoreError } from "./damaged-session-error.js";
import { requireComplete, type StoredSession } from "./read-session.js";
import type { StoredHead } from "./session-records.js";

/** Parts that sessions share in memory. Default: each session has its own. */
export interface SharedParts {
  readonly toolLists?: ToolLists;
  readonly imagePool?: ImagePool;
}

/**
 * Returns a session with its stored data. Changes of the returned session are not stored.
 *
 * @throws DamagedSessionError if the data is damaged or incomplete
 */
export function loadSession(
  { summary }: Pick<StoredHead, "summary">,
  stored: StoredSession,
  shared: SharedParts = {},
): Session {
  requireComplete(summary.id, stored, summary);
  const session = restoreSession(summary, shared);
  try {
    session.data.load(stored);
    return session;
  } catch (error) {
    throw new DamagedSessionError(summary.id, describeRestoreError(error), error);
  }
}

/** Returns a session with what its summary says, without its data. */
export function restoreSession(summary: SessionSummary, shared: SharedParts = {}): Session {
  return new Session({ id: summary.id, ...readStart(summary), leaseId: summary.leaseId, summary, ...shared });
}
