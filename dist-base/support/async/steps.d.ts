/** Long work that yields after each of its steps, and returns its result. */
export type Steps<T> = Generator<void, T, void>;
/** Runs all steps in the current iteration of the event loop. */
export declare function runAtOnce<T>(steps: Steps<T>): T;
