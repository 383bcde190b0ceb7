/** The original `process.exit`. {@link guardProcess} replaces it for agents. */
export declare const exit: typeof process.exit;
/**
 * Keeps agents that run in this process from ending the job.
 *
 * - `process.exit` throws an error.
 * - An unhandled rejection is only reported.
 * - An uncaught error is reported, and `stop` is called with it, because the state of the process is unknown
 *   afterwards.
 *
 * @returns a function that ends the guard
 */
export declare function guardProcess(stop: (error: Error) => void): () => void;
