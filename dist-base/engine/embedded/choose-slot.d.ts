import type { CachedTokens } from "./cached-tokens.js";
export interface SlotState {
    readonly cached: CachedTokens;
    /** Affinity key of the last call in the slot. */
    readonly affinityKey: string | undefined;
    /** Number of that call, so that a lower value means longer ago. */
    readonly lastUsed: number;
}
/**
 * Chooses one of the free slots for a prompt:
 *
 * 1. The slot that shares the longest prefix with the prompt, if it saves at least as many tokens as it evicts. A system
 *    prompt that all sessions share is no reason to evict a long conversation that will continue. Ties go to the same
 *    affinity key, then to the slot used longest ago.
 * 2. An empty slot.
 * 3. The slot that this affinity key used last.
 * 4. The slot used longest ago.
 *
 * @returns undefined if there are no free slots
 */
export declare function chooseSlot<S extends SlotState>(slots: readonly S[], prompt: Int32Array, affinityKey: string): S | undefined;
