import { readSessionKey } from "./keys.js";
/** The parts of a damaged folder that a copy leaves out: whole sessions, and single entries that nothing depends on. */
export class DamagedParts {
    /** Numbers of the damaged sessions. */
    sessions = new Set();
    /** Tables with a part that cannot be read. */
    tables = new Set();
    #entries = new Set();
    addEntry(table, key) {
        this.tables.add(table);
        this.#entries.add(nameEntry(table, key));
    }
    isIntact(table, key) {
        const isOfSession = table === "sessions" || table === "records";
        if (isOfSession && this.sessions.has(readSessionKey(key)))
            return false;
        return !this.#entries.has(nameEntry(table, key));
    }
}
function nameEntry(table, key) {
    return `${table} ${key.toString("hex")}`;
}
//# sourceMappingURL=damaged-parts.js.map