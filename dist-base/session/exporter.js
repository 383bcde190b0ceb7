import { runInSlices } from "../support/async/run-steps.js";
import { turns } from "../support/async/turns.js";
import { SessionError } from "./errors.js";
/** Maximum number of sessions that one export reads at the same time. More would delay calls that also wait for a read. */
const WAKES_AT_ONCE = 4;
/** Maximum number of refused sessions that an error lists. */
const MAX_NAMED = 1000;
/**
 * Exports sessions in three steps: wait until they are exportable, pack them, then seal them.
 *
 * Sealing revokes the session's key and starts retention. If packing fails, no session is sealed.
 */
export class Exporter {
    #registry;
    constructor(registry) {
        this.#registry = registry;
    }
    /** Exports one session. Throws the error of that session if it cannot be exported. */
    async one(id, waits, pack) {
        const session = this.#registry.get(id);
        await session.lifecycle.waitEnd(waits.waitMilliseconds, waits.signal);
        throwIfRefused(session);
        await drain(session, waits);
        throwIfRefused(session);
        return settleAsTaken(await this.#prepare([session], () => pack(session)));
    }
    /**
     * Packs all of these sessions or none. The caller decides later whether they are sealed.
     *
     * @throws SessionError that lists each session that cannot be exported, with the reason
     */
    async prepare(ids, waits, pack, part) {
        const sessions = await this.ready(ids, waits);
        // Most sessions of a large batch have no calls in flight, and each promise costs time on the event loop.
        await Promise.all(sessions.filter(({ calls }) => calls.size > 0).map((session) => drain(session, waits)));
        return this.#prepare(sessions, () => pack(sessions), part);
    }
    /** Waits until all of these sessions can be exported, and returns them. Throws like {@link prepare}. Changes nothing. */
    async ready(ids, waits) {
        const { sessions, refused } = await runInSlices(this.#find(ids));
        const active = refused.length > 0 ? [] : sessions.filter(({ state }) => state === "active");
        await Promise.all(active.map((s) => s.lifecycle.waitEnd(waits.waitMilliseconds, waits.signal)));
        const refusals = refused.concat(await runInSlices(findRefusals(sessions)));
        if (refusals.length > 0)
            throw batchRefusal(refusals, ids.length);
        return sessions;
    }
    *#find(ids) {
        const sessions = [];
        const refused = [];
        for (const id of ids) {
            try {
                sessions.push(this.#registry.get(id));
            }
            catch (error) {
                if (!(error instanceof SessionError))
                    throw error;
                refused.push({ id, error });
            }
            yield;
        }
        return { sessions, refused };
    }
    async #prepare(sessions, pack, part) {
        const begun = [];
        const settle = (outcome) => {
            for (const session of begun)
                session.lifecycle.endExport(outcome);
            if (outcome === "taken")
                this.#registry.seal(sessions, part);
            if (outcome === "held")
                this.#registry.revokeKeys(sessions);
        };
        try {
            // While one session drained or was found, another may have expired.
            const refused = await runInSlices(beginExports(sessions, begun));
            if (refused.length > 0)
                throw batchRefusal(refused, sessions.length);
            await this.#wake(sessions);
            return { packed: await pack(), sessions, settle };
        }
        catch (error) {
            settle("left");
            throw error;
        }
    }
    /** Reads the data of sessions that are on disk only, {@link WAKES_AT_ONCE} at a time. Other requests run in between. */
    async #wake(sessions) {
        const asleep = sessions.filter((session) => !session.isLoaded);
        for (let start = 0; start < asleep.length; start += WAKES_AT_ONCE) {
            await Promise.all(asleep.slice(start, start + WAKES_AT_ONCE).map((session) => this.#registry.wake(session)));
            await turns.next();
        }
    }
}
function settleAsTaken({ packed, settle }) {
    settle("taken");
    return packed;
}
function throwIfRefused(session) {
    const refusal = findRefusal(session);
    if (refusal)
        throw refusal;
}
function* findRefusals(sessions) {
    const refused = [];
    for (const session of sessions) {
        const error = findRefusal(session);
        if (error)
            refused.push({ id: session.id, error });
        yield;
    }
    return refused;
}
/**
 * Begins the export of each session that can be exported, and adds it to `begun`. From then on it accepts no calls and no rewards,
 * and is not freed. Returns the other sessions.
 */
function* beginExports(sessions, begun) {
    const refused = [];
    for (const session of sessions) {
        const error = findRefusal(session);
        if (error)
            refused.push({ id: session.id, error });
        else {
            session.lifecycle.beginExport();
            begun.push(session);
        }
        yield;
    }
    return refused;
}
/** Returns why a session cannot be exported; undefined if it can. */
function findRefusal(session) {
    if (session.state === "active") {
        return new SessionError("session_active", `Session ${session.id} is active. End it first, or set wait_seconds.`);
    }
    if (session.state === "expired") {
        const message = `Session ${session.id} expired or was deleted, and its data was freed.`;
        return new SessionError("session_expired", message);
    }
    if (session.lifecycle.freed) {
        return new SessionError("session_exported", `Session ${session.id} was exported and is no longer retained.`);
    }
    if (session.lifecycle.acknowledged) {
        return new SessionError("session_exported", `Session ${session.id} was exported, and its export was acknowledged.`);
    }
    return undefined;
}
async function drain(session, { drainMilliseconds }) {
    if (await session.calls.waitIdle(drainMilliseconds))
        return;
    const message = `Session ${session.id} is being exported and accepts no more model calls.`;
    const reason = new SessionError("call_aborted", message);
    const aborted = await session.calls.abortAll(reason);
    session.incompleteCalls += aborted;
}
/**
 * Returns the error of a batch. Its code is that of the sessions if they all have the same code, else
 * `batch_not_exportable`.
 */
function batchRefusal(refused, total) {
    const named = refused.slice(0, MAX_NAMED);
    const sessions = named.map(({ id, error }) => ({ session_id: id, code: error.code, message: error.message }));
    const [first] = refused;
    const codes = new Set(refused.map(({ error }) => error.code));
    return new SessionError(codes.size === 1 && first ? first.error.code : "batch_not_exportable", `${refused.length} of ${total} sessions cannot be exported, so none was. First: ${first?.error.message ?? ""}`, { param: "session_ids", details: { sessions } });
}
//# sourceMappingURL=exporter.js.map