/**
 * Orders candidates for a key by rendezvous (highest random weight) hashing. A key always gets the same order, keys spread
 * evenly, and adding or removing a candidate does not change the order of the others.
 *
 * @returns the candidates, best first
 */
export declare function rendezvousOrder(key: string, candidates: readonly string[]): string[];
