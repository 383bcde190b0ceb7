import { DamagedParts } from "./damaged-parts.js";
import { isHeld } from "./held-exports.js";
import { groupBySession, readHeads, reasonOf } from "./offline-sessions.js";
import { nameByNumber } from "./read-session.js";
import { openJson } from "./sealed-json.js";
import { describeDamage, isInRange } from "./stored-problem.js";
import { verifySession } from "./verify-session.js";
/**
 * Reads every record of a folder, checks every checksum, and restores every session as a server would.
 *
 * @param onSession called after each session, with the number of sessions
 */
export function verifySessions(storage, onProblem, onSession = () => undefined) {
    return new Verification(storage, onProblem).run(onSession);
}
class Verification {
    #storage;
    #onProblem;
    #damaged = new DamagedParts();
    /** Parts of the file that cannot be read. */
    #lost = [];
    #problems = 0;
    constructor(storage, onProblem) {
        this.#storage = storage;
        this.#onProblem = onProblem;
    }
    run(onSession) {
        this.#storage.checkStructure((damage) => this.#lose(damage));
        this.#verifyValues("meta");
        const leases = this.#verifyValues("leases");
        const heads = this.#readHeads();
        const waiting = new Set(heads.keys());
        let records = 0;
        const verify = (number, found) => {
            records += found.length;
            waiting.delete(number);
            this.#verifySession(number, heads.get(number), found);
            onSession(heads.size);
        };
        const onDamage = (damage) => this.#lose(damage, heads.values());
        for (const group of groupBySession(this.#storage.scan("records", onDamage)))
            verify(group.number, group.records);
        for (const number of waiting)
            verify(number, []);
        // A page can be readable here, but damaged in a way that makes LMDB end the process.
        const reason = this.#problems === 0 ? this.#storage.findDamage() : undefined;
        if (reason !== undefined)
            this.#report({ what: "the file", reason });
        return { sessions: heads.size, records, heldExports: leases.filter(isHeld).length, damaged: this.#damaged };
    }
    #report(problem) {
        this.#problems++;
        this.#onProblem(problem);
    }
    #lose(damage, sessions = []) {
        this.#lost.push(damage);
        if (damage.table)
            this.#damaged.tables.add(damage.table);
        this.#report(describeDamage(damage, sessions));
    }
    #readHeads() {
        const onHead = (problem, session) => {
            this.#report(problem);
            if (session !== undefined)
                this.#damaged.sessions.add(session);
        };
        const heads = readHeads(this.#storage, onHead, (damage) => this.#lose(damage));
        return new Map(heads.map((session) => [session.number, session]));
    }
    #verifySession(number, session, records) {
        // Where a part of the file is lost, each session would have a problem for each record that it lacks.
        const isLost = this.#lost.some((damage) => (damage.table === "records" || (damage.table === "sessions" && !session)) && isInRange(number, damage));
        const isKnown = isLost || this.#damaged.sessions.has(number);
        if (isLost)
            this.#damaged.sessions.add(number);
        if (isKnown)
            return;
        if (!session) {
            this.#damaged.sessions.add(number);
            return this.#report({
                what: `the head of ${nameByNumber(number)}`,
                reason: "it is missing, but the session has records",
            });
        }
        for (const { what, spare, ...problem } of verifySession(session.head, records)) {
            if (spare)
                this.#damaged.addEntry("records", spare.key);
            else
                this.#damaged.sessions.add(number);
            this.#report({ ...problem, what: `${what} of session ${session.head.summary.id}` });
        }
    }
    /** Checks values that are sealed JSON. Returns those that can be read. */
    #verifyValues(table) {
        const values = [];
        for (const { key, value } of this.#storage.scan(table, (damage) => this.#lose(damage))) {
            try {
                values.push(openJson(value));
            }
            catch (error) {
                this.#damaged.addEntry(table, key);
                const kind = table === "meta" ? "value" : "export";
                this.#report({ what: `${kind} ${key.toString()}`, reason: reasonOf(error) });
            }
        }
        return values;
    }
}
//# sourceMappingURL=verify-sessions.js.map