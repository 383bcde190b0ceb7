import { PageError } from "./page-file.js";
import { BIG_VALUE, readBranch, readLeaf } from "./page-nodes.js";
export const ALL_KEYS = { from: undefined, to: undefined };
/** LMDB's own limit. */
const MAX_DEPTH = 32;
export const compareBytes = (one, other) => one.compare(other);
/** Order of the keys of the tree of free pages, which are numbers of transactions. */
export const compareNumbers = (one, other) => one.length === 8 && other.length === 8 ? Number(one.readBigUInt64LE() - other.readBigUInt64LE()) : NaN;
/**
 * Reads the entries of a tree in ascending order of keys.
 *
 * All keys of a page must be in the range that its parent pages allow. The walk therefore ends if damaged pages point to each other.
 */
export function* walkTree(file, { root, depth }, { range = ALL_KEYS, compare = compareBytes, onLost }) {
    if (root === undefined)
        return;
    if (depth < 1 || depth > MAX_DEPTH)
        onLost({ ...range, reason: `a tree has ${depth} levels` });
    else
        yield* walkPage(file, { number: root, level: depth, bounds: ALL_KEYS }, { range, compare, onLost });
}
function* walkPage(file, place, options) {
    const { level, bounds } = place;
    const { range, compare, onLost } = options;
    let content;
    try {
        content = readContent(file, place, compare);
    }
    catch (error) {
        if (!(error instanceof PageError))
            throw error;
        onLost({ ...bounds, reason: error.message });
        return;
    }
    for (const node of content.leaves) {
        if (!isIn(node.key, range, compare))
            continue;
        yield { key: node.key, flags: node.flags, read: () => readValue(file, node) };
    }
    for (const [i, { key, page }] of content.branches.entries()) {
        const inner = { from: i === 0 ? bounds.from : key, to: content.branches[i + 1]?.key ?? bounds.to };
        if (!overlaps(inner, range, compare))
            continue;
        yield* walkPage(file, { number: page, level: level - 1, bounds: inner }, options);
    }
}
function readContent(file, { number, level, bounds }, compare) {
    const page = file.readPage(number);
    const branches = level > 1 ? readBranch(page, number) : [];
    const leaves = level > 1 ? [] : readLeaf(page, number);
    const keys = level > 1 ? branches.slice(1).map(({ key }) => key) : leaves.map(({ key }) => key);
    if (level > 1 && branches.length === 0)
        throw new PageError(`page ${number} is damaged: it has no nodes`);
    keys.forEach((key, i) => {
        const before = keys[i - 1];
        if (!isIn(key, bounds, compare) || (before && !(compare(before, key) < 0))) {
            throw new PageError(`page ${number} is damaged: its keys are out of order`);
        }
    });
    return { branches, leaves };
}
function readValue(file, { flags, length, data }) {
    if ((flags & BIG_VALUE) === 0)
        return data;
    return file.readOverflow(Number(data.readBigUInt64LE()), length);
}
function isIn(key, { from, to }, compare) {
    return (from === undefined || compare(key, from) >= 0) && (to === undefined || compare(key, to) < 0);
}
function overlaps(inner, range, compare) {
    const endsBefore = inner.to !== undefined && range.from !== undefined && compare(inner.to, range.from) <= 0;
    const beginsAfter = inner.from !== undefined && range.to !== undefined && compare(inner.from, range.to) >= 0;
    return !endsBefore && !beginsAfter;
}
//# sourceMappingURL=walk-tree.js.map