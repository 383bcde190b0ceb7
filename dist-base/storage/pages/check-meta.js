import { areConsecutive } from "./page-file.js";
/** A file may lack pages at its end that a commit allocated and freed. One that lacks more has a damaged meta page. */
const MAX_MISSING_BYTES = 2 ** 30;
/**
 * Returns why the meta pages are damaged; undefined if they show no damage. A meta page has no checksum. Its
 * counters are compared with the pages by `FileCheck`.
 */
export function findMetaDamage({ meta, damagedMeta, transactions, byteLength, pageSize, }) {
    const [damaged] = damagedMeta;
    if (damaged !== undefined)
        return `page ${damaged} is damaged: it is not a valid meta page`;
    if ((meta.lastPage + 1) * pageSize > byteLength + MAX_MISSING_BYTES) {
        const pages = Math.floor(byteLength / pageSize);
        return `the file is truncated, or its meta page is damaged: it has ${pages} pages, the last one should be ${meta.lastPage}`;
    }
    const [first = 0n, second = 0n] = transactions;
    const [newer, older] = first > second ? [first, second] : [second, first];
    if (!areConsecutive(newer, older)) {
        return `a meta page is damaged: the transactions of the two, ${first} and ${second}, do not follow each other`;
    }
    // LMDB writes even transactions to page 0.
    const isSwapped = older > 0n && first % 2n !== 0n;
    return isSwapped ? `a meta page is damaged: page 0 has the odd transaction ${first}` : undefined;
}
//# sourceMappingURL=check-meta.js.map