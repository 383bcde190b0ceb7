/** A lock on a folder. If its process dies, the operating system releases it. */
export interface FolderLock {
    release(): void;
}
/**
 * Creates the folder if it is missing, readable by its owner only, and returns its path.
 *
 * @throws StorageError `storage_unusable` if it cannot be created, or {@link refuseUnfitPlace} refuses its place
 */
export declare function prepareFolder(directory: string): Promise<string>;
/** Locks the folder for this server. */
export declare function lockFolder(directory: string): FolderLock;
/**
 * Locks the folder for a command, so that no server opens it meanwhile. Creates no lock file if the folder has none, for example because it is a copy.
 *
 * @returns undefined if there is no lock file
 */
export declare function lockForCommand(directory: string): FolderLock | undefined;
/** Locks the folder for a command that replaces its file. */
export declare function lockForChange(directory: string): FolderLock;
/** Returns true if a process has the folder open. */
export declare function isFolderOpen(directory: string): boolean;
/** Removes the copy that a compaction makes, with the lock file that LMDB creates beside it. */
export declare function removeCopy(directory: string): Promise<void>;
/**
 * Locks the data file for this server, for a file that several folders have: as a hard link or a symbolic link. Each folder has lock files of its
 * own, so without this, two servers would overwrite each other's pages.
 */
export declare function lockDataFile(directory: string, path: string): Promise<FolderLock>;
