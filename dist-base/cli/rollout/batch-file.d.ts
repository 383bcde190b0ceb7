/** The operations on an open file that writing a batch needs. */
interface OpenFile {
    writeFile(data: Uint8Array): Promise<void>;
    sync(): Promise<void>;
    close(): Promise<void>;
}
/** The file system operations that writing a batch needs. Tests replace them. */
export interface BatchFileSystem {
    statfs(path: string): Promise<{
        readonly blocks: number;
        readonly bavail: number;
        readonly bsize: number;
    }>;
    open(path: string, flags: string): Promise<OpenFile>;
    rename(from: string, to: string): Promise<void>;
    rm(path: string): Promise<void>;
}
export declare const DISK: BatchFileSystem;
/**
 * A batch could not be written. No partial file is left. An earlier file of that name is unchanged, unless the rename
 * succeeded and only the sync of the folder failed.
 */
export declare class BatchFileError extends Error {
    readonly name = "BatchFileError";
    readonly file: string;
    /** Why it could not be written, without the file's name. */
    readonly reason: string;
    constructor(file: string, reason: string, options?: ErrorOptions);
}
/**
 * Writes a batch to a partial file beside `file`, syncs it to the disk, and renames it. When this resolves, the file is
 * complete and survives a power failure.
 *
 * @throws BatchFileError if there is too little space, or a step fails
 */
export declare function writeBatchFile(file: string, batch: Uint8Array, disk?: BatchFileSystem): Promise<void>;
/** @throws BatchFileError if the file system has less space than that */
export declare function requireSpace(file: string, needed: number, disk: Pick<BatchFileSystem, "statfs">): Promise<void>;
/** Returns the path at which a file is written before it is renamed. */
export declare const partialPathOf: (file: string) => string;
/** Syncs the folder, which is where a rename is stored. */
export declare function syncFolder(path: string, disk: Pick<BatchFileSystem, "open">): Promise<void>;
export declare function describeReason(error: unknown): string;
export {};
