/** Exit status of a command that a user stopped: 128 plus the number of SIGINT, as in shells. */
export declare const EXIT_INTERRUPTED = 130;
/**
 * Calls `stop` on the first SIGINT or SIGTERM. A second one ends the process immediately. Returns a function that
 * removes the listeners.
 */
export declare function onInterrupt(stop: () => void): () => void;
