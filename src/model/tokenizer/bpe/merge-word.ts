import { type MergeTable, NO_MERGE } from "./merge-table.js";

/** Up to this length, it is faster to check every pair for each merge than to keep pairs in a heap. */
const SHORT = 48;

/**
 * Merges the tokens of one word in place: the pair with the lowest rank first, and the leftmost among equal ranks.
 *
 * @param ids one token for each byte of the word
 * @param length number of bytes of the word
 * @returns number of remaining tokens, which are at the start of `ids`
 */
export function mergeWord(ids: Int32Array, length: number, table: MergeTable): number {
  return length <= SHORT ? mergeShort(ids, length, table) : mergeLong(ids, length, table);
}

function mergeShort(ids: Int32Array, length: number, table: MergeTable): number {
  let count = length;
  for (;;) {
    let best = NO_MERGE;
    let at = 0;
    for (let i = 0; i + 1 < count; i++) {
      const rank = table.rank(ids[i] ?? 0, ids[i + 1] ?? 0);
      if (rank !== NO_MERGE && (best === NO_MERGE || rank < best)) {
        best = rank;
        at = i;
      }
    }
    if (best === NO_MERGE) return count;
    ids[at] = table.merged(best);
    ids.copyWithin(at + 1, at + 2, count);
    count--;
  }
}

/** Like {@link mergeShort}, in n log n: tokens form a linked list, and pairs that can merge are in a heap. */
function mergeLong(ids: Int32Array, length: number, table: MergeTable): number {
  const word = new LinkedWord(ids, length, table);
  for (let pair = word.pairs.pop(); pair !== undefined; pair = word.pairs.pop()) word.merge(pair.rank, pair.position);
  return word.compact();
}

class LinkedWord {
  readonly pairs: RankHeap;
  readonly #ids: Int32Array;
  readonly #table: MergeTable;
  readonly #next: Int32Array;
  readonly #previous: Int32Array;
  /** Current rank of the pair that begins at each position. A heap entry with another rank is stale. */
  readonly #ranks: Int32Array;

  constructor(ids: Int32Array, length: number, table: MergeTable) {
    this.#ids = ids;
    this.#table = table;
    this.#next = Int32Array.from({ length }, (_, i) => (i + 1 < length ? i + 1 : -1));
    this.#previous = Int32Array.from({ length }, (_, i) => i - 1);
    this.#ranks = new Int32Array(length).fill(NO_MERGE);
    this.pairs = new RankHeap();
    for (let i = 0; i < length; i++) this.#updateRank(i);
  }

  merge(rank: number, position: number): void {
    if (this.#ranks[position] !== rank) return;
    const right = this.#next[position] ?? -1;
    const after = this.#next[right] ?? -1;
    this.#ids[position] = this.#table.merged(rank);
    this.#next[position] = after;
    this.#ranks[right] = NO_MERGE;
    if (after >= 0) this.#previous[after] = position;
    this.#updateRank(position);
    const before = this.#previous[position] ?? -1;
    if (before >= 0) this.#updateRank(before);
  }

  /** Moves the remaining tokens to the start and returns their number. */
  compact(): number {
    let count = 0;
    for (let i = 0; i >= 0; i = this.#next[i] ?? -1) this.#ids[count++] = this.#ids[i] ?? 0;
    return count;
  }

  #updateRank(position: number): void {
    const right = this.#next[position] ?? -1;
    const rank = right < 0 ? NO_MERGE : this.#table.rank(this.#ids[position] ?? 0, this.#ids[right] ?? 0);
    this.#ranks[position] = rank;
    if (rank !== NO_MERGE) this.pairs.push(rank, position);
  }
}

/** A pair of neighbours that can be merged. */
interface RankedPair {
  readonly rank: number;
  readonly position: number;
}

const POSITIONS = 2 ** 31;

/** A binary heap of pairs: the lowest rank first, and the leftmost among equal ranks. */
class RankHeap {
  /** Rank and position in one number, which is exact below 2⁵³. */
  readonly #keys: number[] = [];

  push(rank: number, position: number): void {
    const keys = this.#keys;
    const key = rank * POSITIONS + position;
    let at = keys.length;
    keys.push(key);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = keys[parent] ?? 0;
      if (above <= key) break;
      keys[at] = above;
      at = parent;
    }
    keys[at] = key;
  }

  pop(): RankedPair | undefined {
    const keys = this.#keys;
    const first = keys[0];
    const last = keys.pop();
    if (first === undefined || last === undefined) return undefined;
    if (keys.length > 0) this.#sink(last);
    return { rank: Math.floor(first / POSITIONS), position: first % POSITIONS };
  }

  /** Inserts a key at the top and moves it down to its place. */
  #sink(key: number): void {
    const keys = this.#keys;
    let at = 0;
    for (let child = 1; child < keys.length; child = 2 * at + 1) {
      const sibling = keys[child + 1];
      if (sibling !== undefined && sibling < (keys[child] ?? 0)) child++;
      const below = keys[child] ?? 0;
      if (below >= key) break;
      keys[at] = below;
      at = child;
    }
    keys[at] = key;
  }
}
