import type { ServerConnections } from "../servers/wire/connections.js";
/**
 * Knows whether a server enforces budgets for the reasoning. It does if it was started with `--enable-strict-thinking` and
 * `--reasoning-parser`; otherwise it ignores them without an error.
 */
export declare class StrictThinking {
    #private;
    constructor(connections: ServerConnections);
    /** Never rejects. A server that does not answer counts as one that does not enforce budgets. */
    ask(): Promise<boolean>;
}
