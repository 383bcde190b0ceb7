import { createHash } from "node:crypto";

/**
 * Rendezvous (highest random weight) hashing: the same key always gets the candidates in the same order, keys spread
 * evenly, and a candidate that comes or goes leaves the order of the others as it is.
 *
 * @returns the candidates, the key's own first.
 */
export function rendezvousOrder(key: string, candidates: readonly string[]): string[] {
  if (candidates.length < 2) return [...candidates];
  return candidates
    .map((candidate) => ({ candidate, weight: hashWeight(key, candidate) }))
    .sort((a, b) => b.weight - a.weight)
    .map(({ candidate }) => candidate);
}

function hashWeight(key: string, candidate: string): number {
  return createHash("sha256").update(candidate).update("\0").update(key).digest().readUIntBE(0, 6);
}
