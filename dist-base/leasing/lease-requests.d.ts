import type { LeasedTask } from "../rollout/lease/protocol.js";
export interface TaskRequest {
    readonly workerId: string;
    /** Maximum number of tasks. Default: as many as the worker may hold. */
    readonly count?: number | undefined;
    /** Maximum number of leases that the worker holds with those that it gets. */
    readonly maxHeld?: number | undefined;
}
/** Returns tasks for a request; undefined if it must wait. */
type Serve = (request: TaskRequest) => LeasedTask[] | undefined;
/** Requests of workers for tasks. */
export declare class LeaseRequests {
    #private;
    constructor(serve: Serve);
    get size(): number;
    /** Resolves with tasks; with none after `milliseconds`, or if the worker sends another request. Rejects if the signal aborts. */
    wait(request: TaskRequest, milliseconds: number, signal: AbortSignal): Promise<LeasedTask[]>;
    /** Resolves with the tasks that are there at the end of this event turn. A request of the worker that waits goes on. */
    take(request: TaskRequest): Promise<LeasedTask[]>;
    /** Ends the requests of a worker: it gets no tasks. */
    cancel(workerId: string): void;
    /** Serves the requests that wait, once all tasks of this event turn are there, so that they are shared fairly. */
    wake(): void;
}
export {};
