/**
 * Splits `slots` over workers so that their loads become as equal as possible.
 *
 * @param loads current load of each worker: its sessions and its free slots
 * @returns the slots for each worker
 */
export function spreadSlots(slots, loads) {
    const order = loads.map((load, index) => ({ load, index })).sort((a, b) => a.load - b.load);
    const shares = loads.map(() => 0);
    let sum = slots;
    let levelled = 0;
    for (const { load } of order) {
        // The workers with less load do not reach the load of this worker, so it gets no slots.
        if (load * levelled > sum)
            break;
        sum += load;
        levelled++;
    }
    const level = Math.floor(sum / levelled);
    let rest = sum - level * levelled;
    for (const { load, index } of order.slice(0, levelled)) {
        shares[index] = level - load + (rest-- > 0 ? 1 : 0);
    }
    return shares;
}
/** Returns the workers with the most free slots first, and among equals those with the fewest sessions first. */
export function sortByFreeSlots(workers) {
    return [...workers].sort((a, b) => b.capacity - a.capacity || a.sessions - b.sessions);
}
//# sourceMappingURL=balance.js.map