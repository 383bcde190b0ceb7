import type { Session } from "./session.js";
export interface RetentionLimits {
    readonly milliseconds: number;
    readonly bytes: number;
}
/** The part of a batch that was exported. */
export interface ExportedShard {
    readonly shards: number;
    readonly shard: number;
}
/** The exports of a session that is retained. */
export interface ExportedShards {
    /** Time of the first export, in milliseconds since the epoch. */
    readonly since: number;
    /** Memory of the session in bytes. */
    readonly bytes: number;
    /** Indices of the shards that were not exported yet, by the number of shards. */
    readonly missing: readonly (readonly [shards: number, missing: readonly number[]])[];
}
/**
 * Keeps the tokens of exported sessions for a while, so that an export whose response was lost can be repeated.
 *
 * It keeps the tree, not the response: the tree is smaller, and the same request packs the same bytes from it. Sessions
 * of a batch that is exported shard by shard are kept, whatever their size, until every shard was exported or the time
 * is over.
 */
export declare class Retention {
    #private;
    constructor(limits: RetentionLimits);
    /** @param part the shard that was exported; absent: the whole batch */
    keep(sessions: readonly Session[], part?: ExportedShard): void;
    /** Returns the exports of a session; undefined if the session is not kept. */
    describe(session: Session): ExportedShards | undefined;
    /** Keeps a session that an earlier process exported. Call it in the order of export. */
    restore(session: Session, { since, bytes, missing }: ExportedShards): void;
    /** Stops keeping a session, without freeing it. */
    forget(session: Session): void;
    /** Frees sessions over the limits, oldest first. */
    sweep(now?: number): void;
    /** Frees sessions without shards that are still to be exported, oldest first, until `isEnough` returns true. */
    freeUntil(isEnough: () => boolean): void;
}
