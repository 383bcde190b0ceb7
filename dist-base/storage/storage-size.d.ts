/** Space that a storage folder takes. */
export interface StorageSize {
    readonly fileBytes: number;
    /** Bytes in pages with data. Free pages are reused before the file grows. */
    readonly usedBytes: number;
}
