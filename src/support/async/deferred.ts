/** A promise with the functions that settle it. Later calls have no effect. Node 20 lacks Promise.withResolvers. */
export interface Deferred<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (reason: unknown) => void;
}

export function createDeferred<Value>(): Deferred<Value> {
  let resolve: (value: Value) => void = () => undefined;
  let reject: (reason: unknown) => void = () => undefined;
  const promise = new Promise<Value>((...functions) => ([resolve, reject] = functions));
  return { promise, resolve, reject };
}
