/**
 * Replaces the data file of a locked folder if a sync of it failed. Keeps the original if it has damage.
 *
 * @throws StorageError `storage_unusable` if the new file cannot be written
 */
export declare function replaceAfterFailedSync(directory: string): Promise<void>;
