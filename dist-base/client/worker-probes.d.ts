import type { ConnectionPool } from "./connection-pool.js";
/**
 * Returns true if the worker with this tag answers at the address. A gateway returns the address that it uses itself. From another
 * machine, this address may be unreachable or belong to another worker.
 */
export declare function reachesWorker(connections: ConnectionPool, address: string, tag: string): Promise<boolean>;
