/** Where a meta page has its fields. Little-endian; from `MDB_page` and `MDB_meta` in mdb.c of the package `lmdb`. */
const FIELDS = {
    number: 0,
    flags: 18,
    magic: 24,
    version: 28,
    mapSize: 40,
    pageSize: 48,
    trees: 48,
    lastPage: 144,
    transaction: 152,
};
const META_PAGE = 0x08;
/** Larger than any file. LMDB could not map that much. */
const MAX_MAP_BYTES = 2 ** 46;
/** Fields of a tree (`MDB_db`), of 48 bytes. */
const TREE = { flags: 4, depth: 6, branches: 8, leaves: 16, overflow: 24, entries: 32, root: 40, bytes: 48 };
const MAGIC = 0xbeefc0de;
const FORMAT = 2;
const MIN_PAGE_SIZE = 256;
const MAX_PAGE_SIZE = 65_536;
const NO_PAGE = 0xffffffffffffffffn;
/**
 * Reads a meta page from bytes that may be damaged. Returns undefined if it is damaged.
 *
 * @param number 0 or 1
 */
export function readMetaPage(page, number) {
    const hasHeader = page.readBigUInt64LE(FIELDS.number) === BigInt(number) && (page.readUInt16LE(FIELDS.flags) & META_PAGE) !== 0;
    const isMeta = hasHeader && page.readUInt32LE(FIELDS.magic) === MAGIC && page.readUInt32LE(FIELDS.version) === FORMAT;
    const pageSize = page.readUInt32LE(FIELDS.pageSize);
    const isSize = pageSize >= MIN_PAGE_SIZE && pageSize <= MAX_PAGE_SIZE && Number.isInteger(Math.log2(pageSize));
    if (!isMeta || !isSize || page.readBigUInt64LE(FIELDS.mapSize) > MAX_MAP_BYTES)
        return undefined;
    return {
        pageSize,
        lastPage: Number(page.readBigUInt64LE(FIELDS.lastPage)),
        transaction: page.readBigUInt64LE(FIELDS.transaction),
        free: readTree(page.subarray(FIELDS.trees)),
        main: readTree(page.subarray(FIELDS.trees + TREE.bytes)),
    };
}
/** Reads the description of a tree, as in meta pages and in the list of tables. */
export function readTree(bytes) {
    const root = bytes.readBigUInt64LE(TREE.root);
    const read = (at) => Number(bytes.readBigUInt64LE(at));
    return {
        flags: bytes.readUInt16LE(TREE.flags),
        root: root === NO_PAGE ? undefined : Number(root),
        depth: bytes.readUInt16LE(TREE.depth),
        entries: read(TREE.entries),
        pages: { branch: read(TREE.branches), leaf: read(TREE.leaves), value: read(TREE.overflow) },
    };
}
export const TREE_BYTES = TREE.bytes;
//# sourceMappingURL=meta-page.js.map