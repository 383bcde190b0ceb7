/**
 * Returns `count` of the items in their order, chosen by the seed: the same seed chooses the same ones.
 *
 * @param count more than there are: all of them
 */
export function sample<T>(items: readonly T[], count: number, seed: number): T[] {
  const next = random(seed);
  const chosen: T[] = [];
  // Selection sampling: each item is taken with the probability that is left for it.
  for (const [index, item] of items.entries()) {
    if (next() * (items.length - index) < count - chosen.length) chosen.push(item);
  }
  return chosen;
}

/** Mulberry32: numbers from 0 up to 1. */
function random(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
