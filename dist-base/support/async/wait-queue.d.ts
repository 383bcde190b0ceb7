/** Waiters that are served one by one, in the order in which they came. */
export declare class WaitQueue<Value = void> {
    #private;
    get length(): number;
    /** Resolves with the value that this waiter is served. Rejects with the signal's reason if the signal aborts first. */
    wait(signal?: AbortSignal): Promise<Value>;
    /** Serves the first waiter. Returns false if nobody waits. */
    serve(value: Value): boolean;
}
