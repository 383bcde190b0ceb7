import { unpackChanges } from "../packed-changes.js";
import { asBuffer } from "../prefix-range.js";
/** Returns only the last change of each key. That saves writes: each call of a session changes the session's head, for example. */
export function mergeChanges(records) {
    const last = new Map();
    for (const { changes } of records) {
        for (const change of unpackChanges(changes))
            last.set(identify(change), change);
    }
    return [...last.values()];
}
function identify({ table, key }) {
    return `${table} ${asBuffer(key).toString("latin1")}`;
}
//# sourceMappingURL=merge-changes.js.map