import type { ApiError } from "../../http/errors.js";
import type { GatewayContext } from "../context.js";
import type { UpstreamReply } from "../upstream.js";
import type { Member } from "./fleet.js";
/** A call to one worker. */
export interface WorkerCall {
    readonly member: Member;
    readonly body: object;
}
/** The result of a call. `reply` is undefined if the worker did not answer. */
export interface WorkerOutcome {
    readonly member: Member;
    readonly reply: UpstreamReply | undefined;
}
/** Calls several workers at the same time, on behalf of one client. A worker that does not answer in time is marked `down`. */
export declare class WorkerCalls {
    #private;
    /** @param headers the client's key */
    constructor(context: GatewayContext, headers: Readonly<Record<string, string>>);
    call(path: string, calls: readonly WorkerCall[], milliseconds: number): Promise<WorkerOutcome[]>;
}
export declare function isSuccess({ reply }: WorkerOutcome): boolean;
/**
 * Returns the error of a failed call; undefined if all succeeded. A worker's error is preferred to a missing answer, because
 * it says more.
 *
 * @param otherWorkers sentence for the error message about the state of the other workers
 */
export declare function findFailure(outcomes: readonly WorkerOutcome[], otherWorkers: string): ApiError | undefined;
