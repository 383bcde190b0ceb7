import { HEADER_BYTES, PageError, readFlags } from "./page-file.js";

export const BRANCH = 0x01;
export const LEAF = 0x02;
export const NODE_BYTES = 8;

/** Flags of a node of a leaf. */
export const BIG_VALUE = 0x01;
export const TABLE = 0x02;

export interface BranchNode {
  /** Empty for the first node: its page has all keys below the second one. */
  readonly key: Buffer;
  readonly page: number;
}

export interface LeafNode {
  readonly key: Buffer;
  readonly flags: number;
  /** Length of the value. */
  readonly length: number;
  /** The value, or with {@link BIG_VALUE} the number of its first page. */
  readonly data: Buffer;
}

/** @throws PageError if the page is not a branch or is damaged */
export function readBranch(page: Buffer, number: number): BranchNode[] {
  const offsets = readOffsets(page, number, BRANCH);
  return offsets.map((at) => {
    const high = page.readUInt16LE(at + 4) * 2 ** 32;
    return { key: readKey(page, number, at), page: high + page.readUInt32LE(at) };
  });
}

/** @throws PageError if the page is not a leaf or is damaged */
export function readLeaf(page: Buffer, number: number): LeafNode[] {
  const offsets = readOffsets(page, number, LEAF);
  return offsets.map((at) => {
    const key = readKey(page, number, at);
    // LMDB neither writes nor accepts such a key.
    if (key.length === 0) throw new PageError(`page ${number} is damaged: it has an empty key`);
    const length = page.readUInt32LE(at);
    const flags = page.readUInt16LE(at + 4);
    const from = at + NODE_BYTES + key.length;
    const end = from + ((flags & BIG_VALUE) === 0 ? length : 8);
    if (end > page.length) throw new PageError(`page ${number} is damaged: a value reaches beyond it`);
    return { key, flags, length, data: page.subarray(from, end) };
  });
}

/** Returns where the nodes of a page begin. */
function readOffsets(page: Buffer, number: number, flag: number): number[] {
  if (readFlags(page) !== flag) {
    const expected = flag === LEAF ? "a leaf" : "a branch";
    throw new PageError(`page ${number} is damaged: it is not ${expected} of a tree`);
  }
  const bytes = page.readUInt16LE(20);
  if (bytes % 2 !== 0 || HEADER_BYTES + bytes > page.length) {
    throw new PageError(`page ${number} is damaged: it has ${bytes / 2} nodes`);
  }
  return Array.from({ length: bytes / 2 }, (_, i) => {
    const at = HEADER_BYTES + page.readUInt16LE(HEADER_BYTES + 2 * i);
    if (at < HEADER_BYTES + bytes || at + NODE_BYTES > page.length) {
      throw new PageError(`page ${number} is damaged: a node is outside of it`);
    }
    return at;
  });
}

function readKey(page: Buffer, number: number, at: number): Buffer {
  const end = at + NODE_BYTES + page.readUInt16LE(at + 6);
  if (end > page.length) throw new PageError(`page ${number} is damaged: a key reaches beyond it`);
  return page.subarray(at + NODE_BYTES, end);
}
