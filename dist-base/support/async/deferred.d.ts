/** A promise with the functions that settle it. Later calls have no effect. Node 20 lacks Promise.withResolvers. */
export interface Deferred<Value> {
    readonly promise: Promise<Value>;
    readonly resolve: (value: Value) => void;
    readonly reject: (reason: unknown) => void;
}
export declare function createDeferred<Value>(): Deferred<Value>;
