import { HEADER_BYTES, PageError, readFlags } from "./page-file.js";
import { BIG_VALUE, BRANCH, LEAF, NODE_BYTES, TABLE } from "./page-nodes.js";

/** Position of a key in a page: its bytes from `at` to before `end`. */
export interface KeyPlace {
  readonly page: Buffer;
  readonly at: number;
  readonly end: number;
}

/** Returns a negative number if the first key comes first. */
export type ComparePlaces = (one: KeyPlace, other: KeyPlace) => number;

/** Called for each node of a page, in ascending order of keys: where it begins, and where its key ends. */
export type VisitNode = (at: number, keyEnd: number, index: number) => void;

/** Bytes of a leaf's reference to a value with pages of its own: first page (8), transaction (8), number of pages (8). */
export const BIG_VALUE_BYTES = 24;
/** LMDB's own limit. */
const MAX_KEY_BYTES = 1978;

/**
 * Checks everything in a page that LMDB relies on without a check, and visits its nodes. Makes no object per node, because a
 * server does this for all pages with keys before it starts.
 *
 * @throws PageError if the page is damaged
 */
export function scanPage(page: Buffer, number: number, isLeaf: boolean, visit: VisitNode): void {
  const damaged = (reason: string) => new PageError(`page ${number} is damaged: ${reason}`);
  if (readFlags(page) !== (isLeaf ? LEAF : BRANCH))
    throw damaged(`it is not ${isLeaf ? "a leaf" : "a branch"} of a tree`);
  const lower = page.readUInt16LE(20);
  const upper = page.readUInt16LE(22);
  const space = page.length - HEADER_BYTES;
  if (lower % 2 !== 0 || lower > upper || upper > space) throw damaged("the bounds of its free space are wrong");
  const nodes = lower / 2;
  if (nodes === 0) throw damaged("it has no nodes");
  let bytes = 0;
  for (let i = 0; i < nodes; i++) {
    const at = HEADER_BYTES + page.readUInt16LE(HEADER_BYTES + 2 * i);
    if (at < HEADER_BYTES + upper || at + NODE_BYTES > page.length) throw damaged("a node is outside of it");
    const keyEnd = at + NODE_BYTES + page.readUInt16LE(at + 6);
    const end = keyEnd + (isLeaf ? readStoredBytes(page, at) : 0);
    if (keyEnd - at - NODE_BYTES > MAX_KEY_BYTES || end > page.length) throw damaged("a node reaches beyond it");
    if (isLeaf && keyEnd === at + NODE_BYTES) throw damaged("it has an empty key");
    bytes += end - at + ((end - at) & 1);
    visit(at, keyEnd, i);
  }
  // Nodes must not overlap: LMDB moves them by their sizes.
  if (bytes !== space - upper) throw damaged(`its nodes have ${bytes} bytes instead of ${space - upper}`);
}

/** Returns the size of a value in its leaf. */
function readStoredBytes(page: Buffer, at: number): number {
  const flags = page.readUInt16LE(at + 4);
  if ((flags & ~(BIG_VALUE | TABLE)) !== 0)
    throw new PageError(`page ${page.readUInt32LE(0)} is damaged: a node has flags ${flags}`);
  return (flags & BIG_VALUE) === 0 ? page.readUInt32LE(at) : BIG_VALUE_BYTES;
}

/** Order by bytes, as in all tables. */
export const comparePlacesByBytes: ComparePlaces = (one, other) => {
  const length = Math.min(one.end - one.at, other.end - other.at);
  for (let i = 0; i < length; i++) {
    const difference = (one.page[one.at + i] ?? 0) - (other.page[other.at + i] ?? 0);
    if (difference !== 0) return difference;
  }
  return one.end - one.at - (other.end - other.at);
};

/** Order of the keys of the tree of free pages, which are numbers of 8 bytes. */
export const comparePlacesByNumber: ComparePlaces = (one, other) => {
  if (one.end - one.at !== 8 || other.end - other.at !== 8) return Number.NaN;
  return Number(one.page.readBigUInt64LE(one.at) - other.page.readBigUInt64LE(other.at));
};
