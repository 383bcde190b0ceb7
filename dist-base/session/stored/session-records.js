var __addDisposableResource = (this && this.__addDisposableResource) || function (env, value, async) {
    if (value !== null && value !== void 0) {
        if (typeof value !== "object" && typeof value !== "function") throw new TypeError("Object expected.");
        var dispose, inner;
        if (async) {
            if (!Symbol.asyncDispose) throw new TypeError("Symbol.asyncDispose is not defined.");
            dispose = value[Symbol.asyncDispose];
        }
        if (dispose === void 0) {
            if (!Symbol.dispose) throw new TypeError("Symbol.dispose is not defined.");
            dispose = value[Symbol.dispose];
            if (async) inner = dispose;
        }
        if (typeof dispose !== "function") throw new TypeError("Object not disposable.");
        if (inner) dispose = function() { try { inner.call(this); } catch (e) { return Promise.reject(e); } };
        env.stack.push({ value: value, dispose: dispose, async: async });
    }
    else if (async) {
        env.stack.push({ async: true });
    }
    return value;
};
var __disposeResources = (this && this.__disposeResources) || (function (SuppressedError) {
    return function (env) {
        function fail(e) {
            env.error = env.hasError ? new SuppressedError(e, env.error, "An error was suppressed during disposal.") : e;
            env.hasError = true;
        }
        var r, s = 0;
        function next() {
            while (r = env.stack.pop()) {
                try {
                    if (!r.async && s === 1) return s = 0, env.stack.push(r), Promise.resolve().then(next);
                    if (r.dispose) {
                        var result = r.dispose.call(r.value);
                        if (r.async) return s |= 2, Promise.resolve(result).then(next, function(e) { fail(e); return next(); });
                    }
                    else s |= 1;
                }
                catch (e) {
                    fail(e);
                }
            }
            if (s === 1) return env.hasError ? Promise.reject(env.error) : Promise.resolve();
            if (env.hasError) throw env.error;
        }
        return next();
    };
})(typeof SuppressedError === "function" ? SuppressedError : function (error, suppressed, message) {
    var e = new Error(message);
    return e.name = "SuppressedError", e.error = error, e.suppressed = suppressed, e;
});
import { damagedFolderError, EntryBlocks } from "../../storage/index.js";
import { Allowance } from "../../support/async/allowance.js";
import { runInTurns } from "../../support/async/run-steps.js";
import { Semaphore } from "../../support/async/semaphore.js";
import { decodeMessages, encodeInteraction } from "./interaction-record.js";
import { RECORD_KINDS, readSessionKey, recordKey, sessionKey } from "./keys.js";
import { encodeOutcome } from "./outcome-record.js";
import { damagedError, nameByNumber, nameRecord, readStoredSession, requireComplete } from "./read-session.js";
import { openBytes, openJson, sealJson, sealPieces, sealText } from "./sealed-json.js";
import { ToolRecords } from "./tool-records.js";
/** Maximum time in milliseconds for which changes of outcomes wait for another write that they can share a commit with. */
const OUTCOME_DELAY_MS = 50;
/**
 * Maximum writes of outcomes that do not wait, per second and in one burst. Each may need a separate commit. A server with more
 * calls also has more other writes, so outcomes soon share a commit with one of them.
 */
const PROMPT_WRITES = 20;
/** Maximum number of sessions that are read at the same time. The records of each are in memory until it is restored. */
const READS_AT_ONCE = 4;
/** Reads and writes the sessions of a server in its storage. */
export class SessionRecords {
    #storage;
    #blocks = new EntryBlocks();
    #reads = new Semaphore(READS_AT_ONCE);
    #tools;
    /** Sessions whose head changed in this event turn. */
    #changed = new Map();
    /** Changes of outcomes that are not written yet. No answer waits for them. */
    #outcomes = [];
    #outcomeTimer;
    #prompt = new Allowance(PROMPT_WRITES);
    constructor(storage) {
        this.#storage = storage;
        this.#tools = new ToolRecords(storage);
    }
    /** Returns the journal of a session. */
    journal(number, readHead) {
        return {
            recorded: (index, interaction, tools) => {
                this.#changed.delete(number);
                this.#write([
                    set("records", recordKey(number, "interaction", index), encodeInteraction(interaction)),
                    set("sessions", sessionKey(number), sealJson(readHead())),
                    ...(tools ? this.#tools.add(number, tools) : []),
                ]);
            },
            outcomeChanged: (index, outcome) => {
                this.#writeSoon(set("records", recordKey(number, "outcome", index), encodeOutcome(outcome)));
            },
            summaryChanged: () => this.saveHead(number, readHead),
            freed: (interactions) => {
                this.#changed.delete(number);
                // Together, because a session without its records would be damaged.
                this.#write([
                    set("sessions", sessionKey(number), sealJson(readHead())),
                    ...listRecords(number, interactions).map((key) => ({ table: "records", key, value: undefined })),
                    ...this.#tools.remove(number),
                ]);
            },
            readTools: (key) => this.#tools.read(key),
        };
    }
    /** Finds the tools of the sessions of an earlier process. `isNeeded` tells which sessions still have their data, by number. */
    restoreTools(isNeeded) {
        const changes = this.#tools.restore(isNeeded);
        if (changes.length > 0)
            this.#write(changes);
    }
    /** Writes the head of a session at the end of this event turn, or before the next wait for the disk. */
    saveHead(number, readHead) {
        if (this.#changed.size === 0)
            queueMicrotask(() => this.#saveChanged());
        this.#changed.set(number, readHead);
    }
    /** Removes a session that was freed. */
    remove(number) {
        this.#changed.delete(number);
        this.#write([{ table: "sessions", key: sessionKey(number), value: undefined }]);
    }
    /** Writes a value of the whole server, such as the capacity. */
    saveValue(name, value) {
        this.#write([set("meta", Buffer.from(name), sealJson(value))]);
    }
    /**
     * Returns a value that {@link saveValue} wrote; undefined if there is none.
     *
     * @throws StorageError `storage_unusable` if it is damaged
     */
    readValue(name) {
        const bytes = this.#storage.get("meta", Buffer.from(name));
        return bytes && this.#openAtStart(bytes, () => `value ${name}`);
    }
    /**
     * Writes a stored response. The pieces of a long one are sealed in separate iterations of the event loop.
     *
     * @param isKept returns false if the session was freed meanwhile
     */
    saveResponse(number, index, text, isKept) {
        const write = (sealed) => this.#write([set("records", recordKey(number, "response", index), sealed)]);
        if (typeof text !== "string") {
            return runInTurns(sealPieces(text)).then((sealed) => {
                // A record of a freed session would never be removed.
                if (isKept())
                    write(sealed);
            });
        }
        write(sealText(text));
        return undefined;
    }
    /** Reads the UTF-8 of a stored response; undefined if there is none. */
    *readResponse(number, index) {
        const bytes = this.#storage.get("records", recordKey(number, "response", index));
        try {
            return bytes && (yield* openBytes(bytes));
        }
        catch (error) {
            throw damagedError(`Response ${index} of ${nameByNumber(number)}`, error);
        }
    }
    saveLease(id, lease) {
        this.#write([set("leases", Buffer.from(id), sealJson(lease))]);
    }
    removeLease(id) {
        this.#write([{ table: "leases", key: Buffer.from(id), value: undefined }]);
    }
    *readLeases() {
        for (const { key, value } of this.#storage.range("leases")) {
            yield [key.toString(), this.#openAtStart(value, () => `export ${key.toString()}`)];
        }
    }
    /**
     * Reads the heads of all sessions, in the order in which the sessions started.
     *
     * @throws StorageError `storage_unusable` if one is damaged
     */
    *readHeads() {
        for (const { key, value } of this.#storage.range("sessions")) {
            const number = readSessionKey(key);
            yield { number, head: this.#openAtStart(value, () => `the head of ${nameByNumber(number)}`) };
        }
    }
    /** Opens a value that a server needs before it starts. */
    #openAtStart(sealed, name) {
        try {
            return openJson(sealed);
        }
        catch (error) {
            throw damagedFolderError(this.#storage.directory, `${name()}: ${error.message}`, error);
        }
    }
    /**
     * Reads the data of a session and passes it to `load`. All changes of the session must be committed. The tokens are valid until
     * the promise of `load` settles.
     *
     * @param readSummary called when the read begins, which other reads may delay; returns undefined if the session was freed meanwhile
     * @throws StorageError if a record is damaged or missing, or if `load` refuses the tokens
     */
    async readSession(number, readSummary, load) {
        const env_1 = { stack: [], error: void 0, hasError: false };
        try {
            const _read = __addDisposableResource(env_1, await this.#reads.acquire(), false);
            const summary = readSummary();
            if (!summary)
                return;
            this.#storage.requireOpen();
            const block = this.#blocks.take();
            try {
                // All at once, because the file may change between the steps.
                this.#storage.readInto(block, "records", listData(number, summary.interactionCount));
                const stored = await runInTurns(readStoredSession(summary.id, block.entries(), (key) => this.#readMessages(summary.id, key)));
                requireComplete(summary.id, stored, summary);
                try {
                    await load(stored);
                }
                catch (error) {
                    throw damagedError(`The data of session ${summary.id}`, error);
                }
            }
            finally {
                this.#blocks.giveBack(block);
            }
        }
        catch (e_1) {
            env_1.error = e_1;
            env_1.hasError = true;
        }
        finally {
            __disposeResources(env_1);
        }
    }
    #readMessages(id, key) {
        try {
            const bytes = this.#storage.get("records", key);
            if (!bytes)
                throw new Error("it is missing");
            return decodeMessages(bytes);
        }
        catch (error) {
            throw damagedError(`The ${nameRecord(key)} of session ${id}`, error);
        }
    }
    /** Resolves when an answer may be sent; see {@link Storage.flushed}. */
    async flushed() {
        this.#saveChanged();
        this.#writeOutcomes();
        await this.#storage.flushed();
    }
    /** Resolves when everything that changed so far can be read. */
    async committed() {
        this.#saveChanged();
        this.#writeOutcomes();
        await this.#storage.committed();
    }
    #saveChanged() {
        if (this.#changed.size === 0)
            return;
        const changes = [...this.#changed].map(([number, read]) => set("sessions", sessionKey(number), sealJson(read())));
        this.#changed.clear();
        this.#write(changes);
    }
    #writeSoon(outcome) {
        // At the end of the event turn, because a reward must be in one commit with the head that counts it.
        if (this.#outcomes.length === 0)
            queueMicrotask(() => this.#writePromptly());
        this.#outcomes.push(outcome);
    }
    #writePromptly() {
        this.#saveChanged();
        if (this.#outcomes.length === 0)
            return;
        if (this.#prompt.take())
            this.#writeOutcomes();
        else
            this.#outcomeTimer ??= setTimeout(() => this.#writeOutcomes(), OUTCOME_DELAY_MS).unref();
    }
    #writeOutcomes() {
        this.#write([]);
    }
    /** Writes changes after the outcomes that still wait, so that changes keep their order. */
    #write(changes) {
        clearTimeout(this.#outcomeTimer);
        this.#outcomeTimer = undefined;
        const outcomes = this.#outcomes;
        this.#outcomes = [];
        this.#storage.write([...outcomes, ...changes]);
    }
}
function set(table, key, value) {
    return { table, key, value };
}
/** Returns the keys of all records that a session with this number of interactions can have. */
function listRecords(number, interactions) {
    return RECORD_KINDS.flatMap((kind) => listKeys(number, kind, interactions));
}
/** Returns the keys of a session's data, and one after its last interaction, where there must be none. */
function listData(number, interactions) {
    return [...listKeys(number, "interaction", interactions + 1), ...listKeys(number, "outcome", interactions)];
}
function listKeys(number, kind, count) {
    return Array.from({ length: count }, (_, index) => recordKey(number, kind, index));
}
//# sourceMappingURL=session-records.js.map