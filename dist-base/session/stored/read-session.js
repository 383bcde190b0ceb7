import { StorageError } from "../../storage/index.js";
import { decodeInteraction } from "./interaction-record.js";
import { readRecordKey } from "./keys.js";
import { decodeOutcome, NO_OUTCOME } from "./outcome-record.js";
/** Bytes of the records that are decoded in one step, which takes a few milliseconds. */
const STEP_BYTES = 1 << 18;
/**
 * Reads the data of a session from its records.
 *
 * @param readMessages reads messages when they are needed. Required if the values of the records can change before that
 * @throws StorageError if a record is damaged
 */
export function* readStoredSession(id, records, readMessages) {
    const session = new RecordList(readMessages);
    let bytes = 0;
    for (const record of records) {
        if (bytes >= STEP_BYTES) {
            yield;
            bytes = 0;
        }
        bytes += record.value.length;
        try {
            session.add(record);
        }
        catch (error) {
            throw damagedError(`The ${nameRecord(record.key)} of session ${id}`, error);
        }
    }
    return session.read();
}
/** Collects the records of a session, which come in the order of their keys: all interactions, then all outcomes. */
export class RecordList {
    #interactions = [];
    #readMessages;
    /** @param readMessages reads messages when they are needed. Required if the values of the records can change before that */
    constructor(readMessages) {
        this.#readMessages = readMessages;
    }
    #outcomes = [];
    /** Throws if the record is damaged, or if one before it is missing. */
    add({ key, value }) {
        const { kind, index } = readRecordKey(key);
        const { length } = this.#interactions;
        if (kind === "interaction") {
            if (index !== length)
                throw new Error(`interaction ${length} is missing before it`);
            const readMessages = this.#readMessages;
            this.#interactions.push(decodeInteraction(value, readMessages && (() => readMessages(key))));
            return;
        }
        if (index >= length)
            throw new Error(`interaction ${index} does not exist`);
        if (kind === "outcome")
            this.#outcomes[index] = decodeOutcome(value);
    }
    read() {
        const outcomes = this.#interactions.map((_, index) => this.#outcomes[index] ?? NO_OUTCOME);
        return { interactions: this.#interactions, outcomes };
    }
}
/** Returns the name of a record in its session. Its key may be damaged. */
export function nameRecord(key) {
    try {
        const { kind, index } = readRecordKey(key);
        return `${kind} ${index}`;
    }
    catch {
        return `record with key ${key.toString("hex")}`;
    }
}
/**
 * Compares the data of a session with the counts in its head. Nothing else shows that records at its end are missing.
 *
 * @throws StorageError if something is missing
 */
export function requireComplete(id, { interactions, outcomes }, counts) {
    const { interactionCount, rewards } = counts;
    const rewarded = outcomes.filter(({ reward }) => reward !== undefined).length;
    const missing = interactions.length === interactionCount
        ? rewarded !== rewards && `rewards of interactions: ${rewarded} instead of ${rewards}`
        : `interactions: ${interactions.length} instead of ${interactionCount}`;
    if (missing)
        throw damagedError(`The data of session ${id}`, new Error(missing));
}
/** Names a session whose id is unknown by its number, which is the last part of the id. */
export function nameByNumber(number) {
    return `the session whose id ends with -${number}`;
}
/** Returns the error of a record that is damaged. */
export function damagedError(what, cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new StorageError("storage_failed", `${what} cannot be read: ${reason}.`, { cause });
}
//# sourceMappingURL=read-session.js.map