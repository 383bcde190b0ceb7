import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { ProxyError } from "../../client/errors.js";
/** The proxy did not export a batch. The cause says why. */
export class BatchExportError extends Error {
    name = "BatchExportError";
    /** Sessions of the batch that are not known to be lost. */
    sessionIds;
    constructor(sessionIds, cause) {
        const why = cause instanceof Error ? cause.message : String(cause);
        super(`a batch could not be exported: ${why.replace(/[.]?$/, ".")}`, { cause });
        this.sessionIds = sessionIds;
    }
}
/** Error codes of sessions that were lost, because their worker died or was restarted. */
const LOST_CODES = new Set(["worker_unavailable", "session_not_found", "session_expired"]);
const PAUSES_MS = [1000, 2000, 4000];
/** Time in which the job must write a batch. After that, the proxy treats the sessions as not exported. */
const LEASE_SECONDS = 3600;
const refusedSession = z.object({ session_id: z.string(), code: z.string() });
const refusal = z.object({ sessions: z.array(refusedSession) });
/**
 * Exports a batch without lost sessions, so that the death of a worker costs only its own sessions.
 *
 * @throws BatchExportError if the proxy refuses for another reason, or does not answer
 */
export async function exportSurvivors(batch, options) {
    const { admin, receive, fields, stopIfLost = false, pausesMs = PAUSES_MS } = options;
    const gone = new Set();
    const pauses = [...pausesMs];
    for (;;) {
        const kept = batch.tasks.flatMap(({ accepted }) => listSurvivors(accepted, gone, options));
        const left = batch.sessionIds.filter((id) => !gone.has(id) && !kept.includes(id));
        if (stopIfLost && gone.size > 0)
            return { content: undefined, lost: gone, leftOut: 0, sessionIds: [], release: () => Promise.resolve() };
        try {
            const request = { ...fields, lease_seconds: LEASE_SECONDS };
            const held = kept.length > 0 ? await admin.receiveHeldBatch(kept, request, receive) : undefined;
            const release = async () => {
                await Promise.allSettled([
                    ...left.map((id) => admin.deleteSession(id)),
                    ...(held ? [freeSessions(admin, held.id, kept)] : []),
                ]);
            };
            return { content: held?.received, lost: gone, leftOut: left.length, sessionIds: kept, release };
        }
        catch (error) {
            const refused = readLostSessions(error).filter(({ session_id }) => !gone.has(session_id));
            if (refused.length === 0)
                throw new BatchExportError(kept, error);
            const pause = refused.some(({ code }) => code === "worker_unavailable") ? pauses.shift() : undefined;
            if (pause !== undefined)
                await sleep(pause);
            else
                for (const { session_id } of refused)
                    gone.add(session_id);
        }
    }
}
/** Codes of acknowledgements after which sessions of the batch could be exported again. */
const UNACKNOWLEDGED_CODES = new Set(["export_lease_ended", "worker_unavailable"]);
/**
 * Acknowledges a batch. If its lease has ended or a worker stays unavailable, deletes its sessions instead, because their rows are
 * already on disk.
 */
async function freeSessions(admin, batchId, sessionIds) {
    try {
        await admin.acknowledge(batchId);
    }
    catch (error) {
        if (!(error instanceof ProxyError) || !UNACKNOWLEDGED_CODES.has(error.code))
            throw error;
        await Promise.allSettled(sessionIds.map((id) => admin.deleteSession(id)));
    }
}
function listSurvivors(accepted, gone, { dropIncompleteGroup }) {
    const ids = accepted.map(({ sessionId }) => sessionId);
    const kept = ids.filter((id) => !gone.has(id));
    return dropIncompleteGroup && kept.length < ids.length ? [] : kept;
}
/**
 * Returns the lost sessions of an error; empty if there is another reason too, because leaving sessions out would not
 * help.
 */
function readLostSessions(error) {
    if (!(error instanceof ProxyError))
        return [];
    const sessions = refusal.safeParse(error.details).data?.sessions ?? [];
    return sessions.every(({ code }) => LOST_CODES.has(code)) ? sessions : [];
}
//# sourceMappingURL=survivors.js.map