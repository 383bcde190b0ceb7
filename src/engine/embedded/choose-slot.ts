import type { CachedTokens } from "./cached-tokens.js";

export interface SlotState {
  readonly cached: CachedTokens;
  /** Whose call used the slot last. */
  readonly affinityKey: string | undefined;
  /** When that was, on a counter. */
  readonly lastUsed: number;
}

/**
 * Which of the free slots a prompt should run on.
 *
 * First choice is the slot that shares the longest prefix with the prompt, if that saves at least as many tokens as it
 * evicts: a system prompt that all sessions share is no reason to evict a long conversation that will go on. Then an
 * empty slot, then the one that this affinity key used last, then the one that was used longest ago. Equal prefixes are
 * decided by the same affinity key, then by age.
 */
export function chooseSlot<S extends SlotState>(
  slots: readonly S[],
  prompt: Int32Array,
  affinityKey: string,
): S | undefined {
  let best: S | undefined;
  let bestRank: readonly number[] = [];
  for (const slot of slots) {
    const rank = rankOf(slot, prompt, affinityKey);
    if (best === undefined || compare(rank, bestRank) > 0) [best, bestRank] = [slot, rank];
  }
  return best;
}

/** Compared from the first number on; higher is better. */
function rankOf({ cached, lastUsed, ...slot }: SlotState, prompt: Int32Array, affinityKey: string): number[] {
  const shared = cached.commonPrefix(prompt);
  const evicted = cached.length - shared;
  const same = slot.affinityKey === affinityKey ? 1 : 0;
  if (shared > 0 && shared >= evicted) return [2, shared, same, -lastUsed];
  if (cached.length === 0) return [1, 0, same, -lastUsed];
  return [0, same, shared * same, -lastUsed];
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    const difference = value - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
