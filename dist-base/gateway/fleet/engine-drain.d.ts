import type { GatewayContext } from "../context.js";
import { type ServerUse } from "./merge-engines.js";
export interface ServerUses {
    readonly identity: string;
    readonly uses: readonly ServerUse[];
    /** Tags of the workers that do not answer. */
    readonly absent: readonly string[];
}
/** Drains or restores one engine server on all workers that use it, or on none of them. */
export declare class EngineDrain {
    #private;
    /** @param headers the client's key */
    constructor(context: GatewayContext, headers: Readonly<Record<string, string>>);
    /** @param seconds how long to wait until no worker has a request on the server */
    drain(url: string, seconds: number): Promise<ServerUses>;
    restore(url: string): Promise<ServerUses>;
}
