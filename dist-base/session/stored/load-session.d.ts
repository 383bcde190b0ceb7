import { Session } from "../session.js";
import type { StoredHead } from "./session-records.js";
import type { StoredSession } from "./stored-session.js";
/**
 * Returns a session with its stored data. Changes of the returned session are not stored.
 *
 * @param key key of its message digests. Required only if the session receives calls
 * @throws StorageError if the data is damaged or incomplete
 */
export declare function loadSession({ summary }: StoredHead, stored: StoredSession, key?: Uint8Array): Session;
