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
export function chooseSlot(slots, prompt, affinityKey) {
    let best;
    let bestRank = [];
    for (const slot of slots) {
        const rank = rankSlot(slot, prompt, affinityKey);
        if (best === undefined || compare(rank, bestRank) > 0)
            [best, bestRank] = [slot, rank];
    }
    return best;
}
/** Returns a rank to compare number by number, from the first on. Higher is better. */
function rankSlot({ cached, lastUsed, ...slot }, prompt, affinityKey) {
    const shared = cached.commonPrefix(prompt);
    const evicted = cached.length - shared;
    const same = slot.affinityKey === affinityKey ? 1 : 0;
    if (shared > 0 && shared >= evicted)
        return [2, shared, same, -lastUsed];
    if (cached.length === 0)
        return [1, 0, same, -lastUsed];
    return [0, same, shared * same, -lastUsed];
}
function compare(a, b) {
    for (const [index, value] of a.entries()) {
        const difference = value - (b[index] ?? 0);
        if (difference !== 0)
            return difference;
    }
    return 0;
}
//# sourceMappingURL=choose-slot.js.map