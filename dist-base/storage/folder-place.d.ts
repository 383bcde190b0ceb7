/**
 * Refuses a folder that cannot hold an LMDB file because it is on a network file system or a virtual one, such as /proc. The folder
 * need not exist.
 *
 * @throws StorageError `storage_unusable`
 */
export declare function refuseUnfitPlace(directory: string): Promise<void>;
