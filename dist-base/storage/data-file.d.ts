/**
 * Makes the file safe to map into memory: refuses a file that LMDB did not write, and extends a file that lacks pages at its end.
 * Without this, the process would be killed when LMDB reads beyond the end.
 *
 * @returns the number of bytes that were missing. A few missing pages are normal: LMDB also counts pages that it allocated and
 * freed in the same commit.
 */
export declare function prepareDataFile(path: string): Promise<number>;
