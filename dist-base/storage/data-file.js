import { open } from "node:fs/promises";
/** Offsets of the fields in a meta page of LMDB, and where they end. Little-endian; from `MDB_meta` in mdb.c of the package `lmdb`. */
const META = { magic: 24, version: 28, pageSize: 48, lastPage: 144, transaction: 152, end: 160 };
const MAGIC = 0xbeefc0de;
const FORMAT = 2;
const MAX_PAGE_SIZE = 65_536;
/**
 * Makes the file safe to map into memory: refuses a file that LMDB did not write, and extends a file that lacks pages at its end.
 * Without this, the process would be killed when LMDB reads beyond the end.
 *
 * @returns the number of bytes that were missing. A few missing pages are normal: LMDB also counts pages that it allocated and
 * freed in the same commit.
 */
export async function prepareDataFile(path) {
    const file = await open(path, "r+").catch((error) => {
        if (error.code === "ENOENT")
            return undefined;
        throw error;
    });
    if (!file)
        return 0;
    try {
        const { size } = await file.stat();
        if (size === 0)
            return 0;
        const start = Buffer.alloc(MAX_PAGE_SIZE + META.end);
        const { bytesRead } = await file.read(start, 0, start.length, 0);
        const needed = readNeededSize(start.subarray(0, bytesRead));
        if (needed === undefined)
            throw new Error("its data.mdb was not written by LMDB, or its first pages are damaged. Use another folder");
        if (size < needed)
            await file.truncate(needed);
        return Math.max(0, needed - size);
    }
    finally {
        await file.close();
    }
}
/** Returns the file size that the newer meta page requires; undefined if one of the two meta pages is missing or damaged. */
function readNeededSize(start) {
    const first = readMeta(start, 0);
    const second = first && readMeta(start, first.pageSize);
    if (!second)
        return undefined;
    const { lastPage, pageSize } = first.transaction > second.transaction ? first : second;
    return (Number(lastPage) + 1) * pageSize;
}
/** Reads the meta page at offset `at`; undefined if there is none. */
function readMeta(start, at) {
    if (start.length < at + META.end)
        return undefined;
    const isMeta = start.readUInt32LE(at + META.magic) === MAGIC && start.readUInt32LE(at + META.version) === FORMAT;
    const pageSize = start.readUInt32LE(at + META.pageSize);
    if (!isMeta || pageSize < 256 || pageSize > MAX_PAGE_SIZE)
        return undefined;
    return {
        pageSize,
        lastPage: start.readBigUInt64LE(at + META.lastPage),
        transaction: start.readBigUInt64LE(at + META.transaction),
    };
}
//# sourceMappingURL=data-file.js.map