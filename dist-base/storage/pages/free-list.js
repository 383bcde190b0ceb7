import { PageError } from "./page-file.js";
/**
 * Reads an entry of the list of free pages: the number of words that follow, then words of 8 bytes. A word is the number of a page, or
 * the negative number of pages in a row, followed by the number of the first one, or 0.
 *
 * @param lastPage number of the last page of the file
 * @throws PageError if the entry is damaged
 */
export function* readFreePages(words, lastPage) {
    const damaged = () => new PageError("the list of free pages is damaged");
    const length = words.length < 8 ? -1 : Number(words.readBigInt64LE());
    if (length < 0 || 8 * (length + 1) > words.length)
        throw damaged();
    const read = (i) => Number(words.readBigInt64LE(8 * i));
    for (let i = 1; i <= length; i++) {
        const word = read(i);
        if (word === 0)
            continue;
        if (word < 0 && i === length)
            throw damaged();
        const first = word < 0 ? read(++i) : word;
        const count = word < 0 ? -word : 1;
        if (first < 2 || first + count - 1 > lastPage)
            throw damaged();
        yield { first, count };
    }
}
//# sourceMappingURL=free-list.js.map