import type { ConfigOptions } from "../config-options.js";
/**
 * `rolltape serve`: runs the server, or several of them (`server.workers`), until a signal stops it. Prints one JSON line on
 * standard output when it accepts calls, with the problems of its engine and what it cannot do with its model. Logs go to
 * standard error.
 */
export declare function serve(overrides: readonly string[], { config: file }: ConfigOptions): Promise<void>;
