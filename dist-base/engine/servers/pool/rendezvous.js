import { createHash } from "node:crypto";
/**
 * Orders candidates for a key by rendezvous (highest random weight) hashing. A key always gets the same order, keys spread
 * evenly, and adding or removing a candidate does not change the order of the others.
 *
 * @returns the candidates, best first
 */
export function rendezvousOrder(key, candidates) {
    if (candidates.length < 2)
        return [...candidates];
    return candidates
        .map((candidate) => ({ candidate, weight: hashWeight(key, candidate) }))
        .sort((a, b) => b.weight - a.weight)
        .map(({ candidate }) => candidate);
}
function hashWeight(key, candidate) {
    return createHash("sha256").update(candidate).update("\0").update(key).digest().readUIntBE(0, 6);
}
//# sourceMappingURL=rendezvous.js.map