import type { AdminClient, ArrivingBatch, BatchFields } from "../../client/admin-client.js";
import type { RolloutBatch } from "../../rollout/controller/rollout-batch.js";
type SurvivorsClient = Pick<AdminClient, "receiveHeldBatch" | "acknowledge" | "deleteSession">;
export interface SurvivorsOptions<Content> {
    readonly admin: SurvivorsClient;
    /** Receives the batch. Is called again if the connection breaks. */
    readonly receive: (batch: ArrivingBatch) => Promise<Content>;
    readonly fields: BatchFields;
    /** Leaves out the whole group if one of its members was lost. */
    readonly dropIncompleteGroup: boolean;
    /** Exports nothing if sessions were lost, because their tasks run again. */
    readonly stopIfLost?: boolean;
    /** Pauses before retries if a worker does not answer, because it may be busy or unreachable for a moment only. */
    readonly pausesMs?: readonly number[];
}
export interface Survivors<Content> {
    /** The batch as it was received; undefined if no session is left. */
    readonly content: Content | undefined;
    /** Sessions that were lost with their proxy worker. */
    readonly lost: ReadonlySet<string>;
    /** Number of sessions that were left out because their group was incomplete. */
    readonly leftOut: number;
    /** Sessions of the batch. */
    readonly sessionIds: readonly string[];
    /** Frees all sessions on the proxy, including those that were left out. Call it once the batch is on disk. */
    release(): Promise<void>;
}
/** The proxy did not export a batch. The cause says why. */
export declare class BatchExportError extends Error {
    readonly name = "BatchExportError";
    /** Sessions of the batch that are not known to be lost. */
    readonly sessionIds: readonly string[];
    constructor(sessionIds: readonly string[], cause: unknown);
}
/**
 * Exports a batch without lost sessions, so that the death of a worker costs only its own sessions.
 *
 * @throws BatchExportError if the proxy refuses for another reason, or does not answer
 */
export declare function exportSurvivors<Content>(batch: Pick<RolloutBatch, "tasks" | "sessionIds">, options: SurvivorsOptions<Content>): Promise<Survivors<Content>>;
export {};
