import type { ExportedShard } from "./retention.js";
import type { Session } from "./session.js";
import type { SessionRegistry } from "./session-registry.js";
import type { SessionRecords } from "./stored/session-records.js";
export interface ExportLeaseOptions {
    /** Time in which the export must be acknowledged. */
    readonly milliseconds: number;
    /** Process id of the reader on this machine, if given. The lease ends when this process ends. */
    readonly readerPid?: number | undefined;
    /** The part of a batch that was exported. Absent: the whole batch. */
    readonly part?: ExportedShard | undefined;
    /** Identifies the export. */
    readonly id: string;
}
/** The methods of a registry that leases need. */
type LeasedSessions = Pick<SessionRegistry, "seal" | "byNumber" | "numberOf" | "all">;
/** `ended`: the lease ended before the acknowledgement, and its sessions can be exported again. */
export type Acknowledgement = "acknowledged" | "ended" | "unknown";
/**
 * The leases of exports that readers must acknowledge. Until then, the sessions are held, whatever the limits of retention.
 *
 * - If an export is acknowledged, its sessions are freed. A session of several shards is freed once all shards are acknowledged.
 * - If the last lease of a session ends first, the session is `ended` again and can be exported.
 *
 * If an export was repeated because its answer was lost, it is enough to acknowledge one of the two.
 */
export declare class ExportLeases {
    #private;
    /** @param records where leases are stored, also those of an earlier process. Absent: leases end with the process */
    constructor(registry: LeasedSessions, records?: SessionRecords);
    get size(): number;
    /** Begins a lease for an export of these sessions. */
    grant(sessions: readonly Session[], { milliseconds, readerPid, part, id }: ExportLeaseOptions): void;
    /** Frees the sessions of an export, except those with shards that are not acknowledged yet. */
    acknowledge(id: string, now?: number): Acknowledgement;
    /** Ends a lease whose answer was not delivered. Returns false if there is none with this id. */
    withdraw(id: string): boolean;
    /** Ends leases whose time is over, and leases whose reader's process has ended. */
    reap(now?: number): void;
}
export {};
