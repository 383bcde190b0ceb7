/**
 * Returns an address that is the same for all workers that use the same engine server, however they spell it. A loopback
 * address means the worker's own machine, so it is a different server for workers on different machines.
 *
 * @param url address of the server as the worker lists it
 * @param workerUrl address of the worker
 */
export declare function identifyServer(url: string, workerUrl: string): string;
/** Returns the address of a client's request in the spelling of {@link identifyServer}. */
export declare function normalizeUrl(url: string): string;
