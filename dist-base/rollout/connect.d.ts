import { AdminClient } from "../client/admin-client.js";
import type { RolloutEngine } from "./contract.js";
export interface ConnectOptions {
    readonly url: string;
    readonly adminKey: string;
}
/** A {@link RolloutEngine} with its own connection pool. Closing it closes the pool. */
export interface ConnectedProxy extends RolloutEngine, AsyncDisposable {
    /** Client for the trainer's calls, over the same connections. */
    readonly admin: AdminClient;
    /** Closes every connection. */
    close(): Promise<void>;
}
/**
 * Creates the client of a proxy for episodes. It sends nothing yet.
 *
 * @throws WorkflowError `invalid_option`
 */
export declare function connectProxy(options: ConnectOptions): ConnectedProxy;
