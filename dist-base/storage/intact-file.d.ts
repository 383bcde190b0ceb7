/** Called with the number of pages that were checked so far, and that are to check. */
export type ReportCheck = (checked: number, total: number) => void;
/**
 * Refuses a file whose pages are damaged, because LMDB would end the process at such a page. Takes about 0.1 s per gigabyte if the
 * pages with keys are in memory; values are not read.
 *
 * @throws StorageError `storage_unusable`
 */
export declare function refuseDamagedFile(directory: string, path: string, onCheck?: ReportCheck): Promise<void>;
