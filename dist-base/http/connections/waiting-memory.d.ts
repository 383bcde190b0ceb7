import type { IncomingMessage } from "node:http";
/**
 * Limits the memory of requests that wait for earlier answers on their connections. No key was checked for them yet, and without
 * this, their headers could take a hundred times the limit of the headers on each connection.
 */
export declare class WaitingMemory {
    #private;
    /** Returns false if there is no room. */
    take(bytes: number): boolean;
    giveBack(bytes: number): void;
}
/** Returns the memory of a request that waits, in bytes. */
export declare function measureWaiting({ url, rawHeaders, headers }: IncomingMessage): number;
