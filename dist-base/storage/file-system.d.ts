/** Why a commit fails on a full disk. */
export declare const DISK_FULL = "the disk is full";
export interface FileSystem {
    /** Name of the network file system; undefined if it is local. */
    readonly network: string | undefined;
    /** Name of the file system if its files are not stored on a disk, such as those in /proc. */
    readonly virtual: string | undefined;
    /** True if its files are lost when the machine stops. */
    readonly inMemory: boolean;
    readonly isFull: boolean;
    readonly freeBytes: number;
}
/** Describes the file system of a folder. */
export declare function inspectFileSystem(folder: string): Promise<FileSystem>;
/**
 * Checks that the file system of a file has space for a commit.
 *
 * @param bytes size of the changes
 * @param changes number of the changes. LMDB writes a copy of the page that each of them changes
 */
export declare function requireSpace(path: string, bytes: number, changes: number): void;
/** Checks that the file system of a file accepts writes, with a file beside it. Throws the error of the system. */
export declare function requireWrites(path: string): void;
