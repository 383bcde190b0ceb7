import { runAtOnce } from "../../support/async/steps.js";
import { readSessionKey, sessionKey } from "./keys.js";
import { loadSession } from "./load-session.js";
import { nameByNumber, readStoredSession } from "./read-session.js";
import { openJson } from "./sealed-json.js";
import { describeDamage } from "./stored-problem.js";
/**
 * Reads the heads of all sessions that can be read, in the order in which the sessions started.
 *
 * @param onProblem called with each head that is damaged, and the number of its session
 * @param onDamage called with each part of the file that cannot be read. Default: reports it to `onProblem`
 */
export function readHeads(storage, onProblem, onDamage = (damage) => onProblem(describeDamage(damage))) {
    const sessions = [];
    for (const { key, value } of storage.scan("sessions", onDamage)) {
        const number = readSessionKey(key);
        try {
            sessions.push({ number, head: openJson(value) });
        }
        catch (error) {
            onProblem({ what: `the head of ${nameByNumber(number)}`, reason: reasonOf(error) }, number);
        }
    }
    return sessions;
}
/**
 * Reads the data of a session.
 *
 * @throws StorageError if it is damaged, PageError if the file is damaged there
 */
export function readOffline(storage, { number, head }) {
    const records = [...storage.range("records", sessionKey(number))];
    return loadSession(head, runAtOnce(readStoredSession(head.summary.id, records)));
}
/** Groups records, which come in the order of their keys, by session. */
export function* groupBySession(records) {
    let group;
    for (const record of records) {
        const number = readSessionKey(record.key);
        if (group && group.number !== number) {
            yield group;
            group = undefined;
        }
        group ??= { number, records: [] };
        group.records.push(record);
    }
    if (group)
        yield group;
}
export function reasonOf(error) {
    return error instanceof Error ? error.message : String(error);
}
//# sourceMappingURL=offline-sessions.js.map