/** The content that a file has after a loss of power: the pages that were not synced, with their last synced content. */
export interface Unsynced {
  /** Content by page number. It is all zeros if the page was beyond the end of the file. */
  readonly pages: ReadonlyMap<number, Buffer>;
  /** Size of the file that was synced last; undefined if everything is synced. */
  readonly size: number | undefined;
}

export const PAGE_BYTES = 4096;

const HEADER_BYTES = 40;
/** Type of a record that marks pages as synced, except for lost ones. */
const SYNCED = 2n;
/** Type of a record that marks pages as lost until they are written again. */
const LOST = 3n;

/** Reads a journal of unsynced-writes.c. A record that is not complete has no write. */
export function readJournal(journal: Buffer): Unsynced {
  const pages = new Map<number, Buffer>();
  const lost = new Set<number>();
  let size: number | undefined;
  let at = 0;
  while (at + HEADER_BYTES <= journal.length) {
    const [type, ...fields] = Array.from({ length: 5 }, (_, i) => journal.readBigUInt64LE(at + 8 * i));
    const [offset = 0, end = 0, sizeThen = 0, bytes = 0] = fields.map(Number);
    const begin = at + HEADER_BYTES;
    if (begin + bytes > journal.length) break;
    if (type === LOST) {
      for (const page of pages.keys()) lost.add(page);
    } else if (type === SYNCED) {
      for (const page of pages.keys()) if (!lost.has(page)) pages.delete(page);
      size = Math.max(size ?? 0, sizeThen);
    } else {
      const old = journal.subarray(begin, begin + bytes);
      for (let page = offset / PAGE_BYTES; page < end / PAGE_BYTES; page++) {
        if (!pages.has(page)) pages.set(page, readPage(old, page * PAGE_BYTES - offset));
        lost.delete(page);
      }
      size ??= sizeThen;
    }
    at = begin + bytes;
  }
  return { pages, size };
}

function readPage(old: Buffer, offset: number): Buffer {
  const page = Buffer.alloc(PAGE_BYTES);
  page.set(old.subarray(offset, offset + PAGE_BYTES));
  return page;
}
