/** Exit status of a command that could not start or failed. */
export declare const EXIT_FAILURE = 1;
/** Exit status for invalid arguments or an invalid configuration. */
export declare const EXIT_USAGE = 2;
/** Exit status of a server or gateway that stopped with an answer that was cut or an ended session that was not exported. */
export declare const EXIT_INCOMPLETE = 3;
/** Writes to standard error why a command failed. Returns its exit status. */
export declare function reportFailure(error: unknown): number;
