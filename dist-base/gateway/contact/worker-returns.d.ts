export interface WorkerReturnsOptions {
    /** Time for which requests wait for a worker after it left. 0: they do not wait. */
    readonly milliseconds: number;
    /** Polls the addresses of the absent workers. */
    readonly poll: () => Promise<void>;
}
/**
 * The absent workers: they cannot be reached, but may return with the same tag, such as a server that restarts on its storage folder.
 *
 * The time limit counts from when the worker left, not from each request. Afterwards, requests for the worker fail at once.
 */
export declare class WorkerReturns {
    #private;
    constructor(options: WorkerReturnsOptions);
    /** The number of requests that wait. */
    get waiting(): number;
    /** Tags of the absent workers. */
    get tags(): string[];
    isAbsent(tag: string): boolean;
    /** Reports that a worker cannot be reached. Further reports do not extend the time limit. */
    left(tag: string): void;
    /** Reports that a worker with this tag can be reached. */
    returned(tag: string): void;
    /**
     * Waits until the worker returns or the time limit is reached. Returns at once if the worker is not absent.
     *
     * @throws the signal's reason if it aborts first
     */
    wait(tag: string, signal: AbortSignal): Promise<void>;
    /** Ends all waits. */
    close(): void;
}
