import type { ExportOutcome } from "./lifecycle.js";
import type { ExportedShard } from "./retention.js";
import type { Session } from "./session.js";
import type { SessionRegistry } from "./session-registry.js";
export interface ExportWaits {
    /** How long to wait for sessions that are still active. */
    readonly waitMilliseconds: number;
    /** How long to wait for calls in flight of ended sessions before they are aborted. */
    readonly drainMilliseconds: number;
    /** Ends the wait early, because the client has disconnected. */
    readonly signal?: AbortSignal;
}
/** A packed export whose sessions are not sealed yet. They accept no calls and no rewards until it is settled. */
export interface PreparedExport<T> {
    readonly packed: T;
    readonly sessions: readonly Session[];
    /** Seals the sessions (`taken`, `held`), or leaves them as they were (`left`). Call it once. */
    readonly settle: (outcome: ExportOutcome) => void;
}
/**
 * Exports sessions in three steps: wait until they are exportable, pack them, then seal them.
 *
 * Sealing revokes the session's key and starts retention. If packing fails, no session is sealed.
 */
export declare class Exporter {
    #private;
    constructor(registry: SessionRegistry);
    /** Exports one session. Throws the error of that session if it cannot be exported. */
    one<T>(id: string, waits: ExportWaits, pack: (session: Session) => Promise<T>): Promise<T>;
    /**
     * Packs all of these sessions or none. The caller decides later whether they are sealed.
     *
     * @throws SessionError that lists each session that cannot be exported, with the reason
     */
    prepare<T>(ids: readonly string[], waits: ExportWaits, pack: (sessions: Session[]) => Promise<T>, part?: ExportedShard): Promise<PreparedExport<T>>;
    /** Waits until all of these sessions can be exported, and returns them. Throws like {@link prepare}. Changes nothing. */
    ready(ids: readonly string[], waits: ExportWaits): Promise<Session[]>;
}
