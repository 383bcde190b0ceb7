import type { Tree } from "./meta-page.js";
import { PageError, type PageFile } from "./page-file.js";
import { BIG_VALUE, type LeafNode, readBranch, readLeaf } from "./page-nodes.js";

/** Keys from `from` (undefined: the first) to before `to` (undefined: the last). */
export interface KeyRange {
  readonly from: Buffer | undefined;
  readonly to: Buffer | undefined;
}

/** Keys whose values cannot be read, and why. */
export interface LostKeys extends KeyRange {
  readonly reason: string;
}

export interface TreeEntry {
  readonly key: Buffer;
  readonly flags: number;
  /** Reads the value. Throws a PageError if its pages are damaged. */
  readonly read: () => Buffer;
}

export const ALL_KEYS: KeyRange = { from: undefined, to: undefined };

/** Order of keys: negative if the first one comes first. */
export type CompareKeys = (one: Buffer, other: Buffer) => number;

export interface WalkOptions {
  /** Default: all keys. */
  readonly range?: KeyRange;
  /** Default: by bytes, as in all tables. */
  readonly compare?: CompareKeys;
  /** Called for each page that cannot be read. The walk continues after it. */
  readonly onLost: (lost: LostKeys) => void;
}

/** LMDB's own limit. */
const MAX_DEPTH = 32;

export const compareBytes: CompareKeys = (one, other) => one.compare(other);

/** Order of the keys of the tree of free pages, which are numbers of transactions. */
export const compareNumbers: CompareKeys = (one, other) =>
  one.length === 8 && other.length === 8 ? Number(one.readBigUInt64LE() - other.readBigUInt64LE()) : NaN;

/**
 * Reads the entries of a tree in ascending order of keys.
 *
 * All keys of a page must be in the range that its parent pages allow. The walk therefore ends if damaged pages point to each other.
 */
export function* walkTree(
  file: PageFile,
  { root, depth }: Tree,
  { range = ALL_KEYS, compare = compareBytes, onLost }: WalkOptions,
): Generator<TreeEntry> {
  if (root === undefined) return;
  if (depth < 1 || depth > MAX_DEPTH) onLost({ ...range, reason: `a tree has ${depth} levels` });
  else yield* walkPage(file, { number: root, level: depth, bounds: ALL_KEYS }, { range, compare, onLost });
}

interface Place {
  readonly number: number;
  /** 1 for leaves. */
  readonly level: number;
  readonly bounds: KeyRange;
}

function* walkPage(file: PageFile, place: Place, options: Required<WalkOptions>): Generator<TreeEntry> {
  const { level, bounds } = place;
  const { range, compare, onLost } = options;
  let content: Content;
  try {
    content = readContent(file, place, compare);
  } catch (error) {
    if (!(error instanceof PageError)) throw error;
    onLost({ ...bounds, reason: error.message });
    return;
  }
  for (const node of content.leaves) {
    if (!isIn(node.key, range, compare)) continue;
    yield { key: node.key, flags: node.flags, read: () => readValue(file, node) };
  }
  for (const [i, { key, page }] of content.branches.entries()) {
    const inner = { from: i === 0 ? bounds.from : key, to: content.branches[i + 1]?.key ?? bounds.to };
    if (!overlaps(inner, range, compare)) continue;
    yield* walkPage(file, { number: page, level: level - 1, bounds: inner }, options);
  }
}

interface Content {
  readonly branches: ReturnType<typeof readBranch>;
  readonly leaves: readonly LeafNode[];
}

function readContent(file: PageFile, { number, level, bounds }: Place, compare: CompareKeys): Content {
  const page = file.readPage(number);
  const branches = level > 1 ? readBranch(page, number) : [];
  const leaves = level > 1 ? [] : readLeaf(page, number);
  const keys = level > 1 ? branches.slice(1).map(({ key }) => key) : leaves.map(({ key }) => key);
  if (level > 1 && branches.length === 0) throw new PageError(`page ${number} is damaged: it has no nodes`);
  keys.forEach((key, i) => {
    const before = keys[i - 1];
    if (!isIn(key, bounds, compare) || (before && !(compare(before, key) < 0))) {
      throw new PageError(`page ${number} is damaged: its keys are out of order`);
    }
  });
  return { branches, leaves };
}

function readValue(file: PageFile, { flags, length, data }: LeafNode): Buffer {
  if ((flags & BIG_VALUE) === 0) return data;
  return file.readOverflow(Number(data.readBigUInt64LE()), length);
}

function isIn(key: Buffer, { from, to }: KeyRange, compare: CompareKeys): boolean {
  return (from === undefined || compare(key, from) >= 0) && (to === undefined || compare(key, to) < 0);
}

function overlaps(inner: KeyRange, range: KeyRange, compare: CompareKeys): boolean {
  const endsBefore = inner.to !== undefined && range.from !== undefined && compare(inner.to, range.from) <= 0;
  const beginsAfter = inner.from !== undefined && range.to !== undefined && compare(inner.from, range.to) >= 0;
  return !endsBefore && !beginsAfter;
}
