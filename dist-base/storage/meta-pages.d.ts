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
export declare function rewriteMetaPages(file: number): void;
