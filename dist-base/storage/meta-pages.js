import { fdatasyncSync, readSync, writeSync } from "node:fs";
/** LMDB has two meta pages, at the beginning of its file. Each commit overwrites the older one. */
const META_PAGES = 2;
/** Offset of the page size in a meta page of LMDB, in bytes. */
const PAGE_SIZE_OFFSET = 48;
/**
 * Writes both meta pages again as the kernel has them, and waits until the whole file is on disk.
 *
 * After a failed sync, the kernel counts pages as clean that never reached the disk, and a later sync succeeds without writing them.
 * LMDB reuses pages that only an older meta page refers to. If the disk still had that meta page, a loss of power during the next commit
 * could leave a meta page whose pages are overwritten. Data pages need no such care, because their meta page is written once they are
 * on disk.
 *
 * @param file descriptor for reading and writing
 */
export function rewriteMetaPages(file) {
    const start = Buffer.alloc(PAGE_SIZE_OFFSET + 4);
    if (readSync(file, start, 0, start.length, 0) < start.length)
        return;
    const pages = Buffer.alloc(META_PAGES * start.readUInt32LE(PAGE_SIZE_OFFSET));
    const bytes = readSync(file, pages, 0, pages.length, 0);
    writeSync(file, pages, 0, bytes, 0);
    fdatasyncSync(file);
}
//# sourceMappingURL=meta-pages.js.map