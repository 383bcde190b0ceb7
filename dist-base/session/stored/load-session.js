import { Session } from "../session.js";
import { damagedError, requireComplete } from "./read-session.js";
/**
 * Returns a session with its stored data. Changes of the returned session are not stored.
 *
 * @param key key of its message digests. Required only if the session receives calls
 * @throws StorageError if the data is damaged or incomplete
 */
export function loadSession({ summary }, stored, key) {
    requireComplete(summary.id, stored, summary);
    const session = new Session({
        id: summary.id,
        taskId: summary.taskId,
        groupId: summary.groupId,
        leaseId: summary.leaseId,
        summary,
        digestKey: key,
    });
    try {
        session.load(stored);
        return session;
    }
    catch (error) {
        throw damagedError(`The data of session ${summary.id}`, error);
    }
}
//# sourceMappingURL=load-session.js.map