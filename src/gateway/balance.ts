import type { Worker } from "./worker-pool.js";

/**
 * Splits `slots` over workers so that what they have to do (sessions and free slots together) comes as close to level as
 * it can. Answers each worker's share.
 *
 * @param loads what each of them has now
 */
export function spread(slots: number, loads: readonly number[]): number[] {
  const order = loads.map((load, index) => ({ load, index })).sort((a, b) => a.load - b.load);
  const shares = loads.map(() => 0);
  let sum = slots;
  let levelled = 0;
  for (const { load } of order) {
    // Who has more than all of the others would then have gets none.
    if (load * levelled > sum) break;
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

/** Those with the most free slots first; among equals those with the fewest sessions. */
export function byFreeSlots(workers: readonly Worker[]): Worker[] {
  return [...workers].sort((a, b) => b.capacity - a.capacity || a.sessions - b.sessions);
}
