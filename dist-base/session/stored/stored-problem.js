import { readSessionKey, sessionKey } from "./keys.js";
import { nameByNumber } from "./read-session.js";
/**
 * Describes a part of the file that cannot be read: names the data that is lost.
 *
 * @param sessions the sessions whose heads can be read
 */
export function describeDamage({ table, from, to, reason }, sessions = []) {
    if (table === undefined)
        return { what: "the file", reason };
    if (table === "meta")
        return { what: "values of the server", reason };
    if (table === "leases")
        return { what: "held exports", reason };
    const what = table === "sessions" ? "heads" : "records";
    const known = [...sessions].filter(({ number }) => isInRange(number, { from, to }));
    return { what: `${what} of ${nameSessions(known) ?? nameRange(from, to)}`, reason };
}
/** Returns true if a key of this session, or of one of its records, can be in the range. */
export function isInRange(number, { from, to }) {
    // A damaged key may be too short to name a session.
    if (number < 0)
        return false;
    const [first, next] = [sessionKey(number), sessionKey(number + 1)];
    return (from === undefined || next.compare(from) > 0) && (to === undefined || first.compare(to) < 0);
}
function nameSessions(sessions) {
    const [first, last] = [sessions.at(0), sessions.at(-1)];
    if (!first || !last)
        return undefined;
    if (first === last)
        return `session ${first.head.summary.id}`;
    return `${sessions.length} sessions from ${first.head.summary.id} to ${last.head.summary.id}`;
}
function nameRange(from, to) {
    const [first, last] = [from && readSessionKey(from), to && readSessionKey(to)];
    if (first !== undefined && first === last)
        return nameByNumber(first);
    if (first === undefined && last === undefined)
        return "all sessions";
    if (first === undefined)
        return `sessions whose ids end with a number up to -${last}`;
    if (last === undefined)
        return `sessions whose ids end with -${first} or a higher number`;
    return `sessions whose ids end with -${first} to -${last}`;
}
//# sourceMappingURL=stored-problem.js.map