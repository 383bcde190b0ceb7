import type { z } from "zod";
import { type serverRecord } from "../../control/engine-schemas.js";
import type { GatewayContext } from "../context.js";
import type { Worker } from "../worker-pool.js";
export type ServerRecord = z.output<typeof serverRecord>;
/** An engine server as one worker lists it. */
export interface MemberServer {
    readonly identity: string;
    readonly record: ServerRecord;
}
/** A worker that answered, and its engine. */
export interface Member {
    readonly worker: Worker;
    readonly type: string;
    readonly paused: "abort" | "keep" | null;
    readonly servers: readonly MemberServer[];
}
/** The workers of a gateway with their engines. */
export interface Fleet {
    readonly members: readonly Member[];
    /** Tags of the workers that do not answer. */
    readonly absent: readonly string[];
}
/**
 * Reads the engines of all workers, including workers that registered a moment ago.
 *
 * @returns `silent`: workers that were not down before and do not answer
 * @throws ApiError if a worker returns an error, for example because of the key
 */
export declare function readFleet(context: GatewayContext, headers: Readonly<Record<string, string>>): Promise<Fleet & {
    readonly silent: readonly Worker[];
}>;
/**
 * Reads the engines of all workers before a change. A worker that was already down is left out.
 *
 * @throws ApiError if another worker does not answer, or if there is none
 */
export declare function requireFleet(context: GatewayContext, headers: Readonly<Record<string, string>>): Promise<Fleet>;
