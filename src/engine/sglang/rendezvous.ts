import { createHash } from "node:crypto";

/**
 * Rendezvous (highest random weight) hashing: the same key always gets the same candidate, keys spread evenly, and a
 * candidate that comes or goes moves only the keys that it wins or loses.
 *
 * @returns the index of the candidate.
 */
export function rendezvous(key: string, candidates: readonly string[]): number {
  if (candidates.length === 1) return 0;
  let best = 0;
  let bestWeight = -1;
  candidates.forEach((candidate, index) => {
    const weight = createHash("sha256").update(candidate).update("\0").update(key).digest().readUIntBE(0, 6);
    if (weight > bestWeight) [best, bestWeight] = [index, weight];
  });
  return best;
}
