/** Returns true if `bytes` more fit into memory. Memory that the system uses to cache files counts as available. */
export declare function hasMemoryFor(bytes: number): boolean;
