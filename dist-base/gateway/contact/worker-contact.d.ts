export interface WorkerContactOptions {
    /** Sends a probe to the worker. Rejects if no answer arrives before the signal aborts. */
    readonly probe: (signal: AbortSignal) => Promise<unknown>;
    /** Time without an answer after which a worker is unreachable, in milliseconds. */
    readonly unreachableMilliseconds: number;
    /** Called when the worker becomes unreachable, and when it answers again. */
    readonly onChange: (isUnreachable: boolean) => void;
}
/**
 * The circuit breaker of one worker. While calls wait for the worker, it is probed once per tick, however many calls wait. A
 * generation may take any time as long as the worker answers calls or probes.
 *
 * If it answers nothing for a while, it is unreachable: waiting calls end, and new ones are refused immediately. Then only probes
 * are sent. The first answer makes the worker reachable again, so no call has to fail to test it.
 *
 * Silence is counted in ticks, not in seconds: a gateway that was itself stopped for a minute received no answers either.
 */
export declare class WorkerContact {
    #private;
    constructor(options: WorkerContactOptions);
    /** True if calls to the worker are refused. */
    get isUnreachable(): boolean;
    /**
     * Watches the worker for a call that waits for it.
     *
     * @param onLost called if the worker becomes unreachable
     * @returns a function that ends the watch
     */
    watch(onLost: () => void): () => void;
    /** Reports a call without an answer. The worker is then probed even if no other call waits. */
    suspect(): void;
    /** Reports that the worker answered a call or a probe. */
    answered(): void;
    /** Stops probing the worker once no call waits for it. Call this when the worker has left. */
    close(): void;
}
