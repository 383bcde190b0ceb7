export interface KnownWorker {
    readonly id: string;
    readonly name: string;
    lastCall: number;
}
/** The rollout workers that registered with this process. */
export declare class WorkerList {
    #private;
    /** Adds a worker. Returns the former workers of the same name, which have ended. */
    add(id: string, name: string): KnownWorker[];
    /** Notes a call of a worker. Returns false if it is unknown, because this process started after it. */
    touch(id: string): boolean;
    /** Notes that a worker from before a restart may register. */
    expect(id: string): void;
    remove(id: string): void;
    /** Returns true if a worker called within `seconds`, or is awaited since then. */
    hasAlive(seconds: number): boolean;
    /** Number of workers that called within `seconds`, at least 1. */
    active(seconds: number): number;
    all(): KnownWorker[];
}
