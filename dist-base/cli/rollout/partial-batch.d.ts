import { type FileHandle } from "node:fs/promises";
import { type BatchFileSystem } from "./batch-file.js";
/** The operations on the partial file. */
export interface PartialFile extends Pick<FileHandle, "sync" | "close"> {
    writev(chunks: readonly Uint8Array[], position: number): Promise<{
        readonly bytesWritten: number;
    }>;
    read(bytes: Uint8Array, offset: number, length: number, position: number): Promise<{
        readonly bytesRead: number;
    }>;
}
/** The file system operations of a partial batch. Tests replace them. */
export interface PartialFileSystem extends BatchFileSystem {
    openPartial(path: string): Promise<PartialFile>;
}
/** A batch that is written to a partial file beside its own while it arrives. */
export declare class PartialBatch {
    #private;
    readonly path: string;
    private constructor();
    /**
     * Creates the partial file of `file`.
     *
     * @param byteLength size of the batch, if it is known
     * @throws BatchFileError if there is too little space, or it cannot be created
     */
    static create(file: string, byteLength: number | undefined, disk?: PartialFileSystem): Promise<PartialBatch>;
    get length(): number;
    /**
     * Appends chunks and frees their memory. If this rejects, they are unchanged.
     *
     * V8 counts the memory of chunks as if it were part of its heap, and would mark the whole heap several times per batch.
     */
    append(chunks: readonly Uint8Array[]): Promise<void>;
    /** Returns what is in the file, also if the disk accepts no more. */
    readBack(): Promise<Uint8Array>;
    /** Waits until the bytes are on disk. If this rejects, what the file contains is unknown. */
    sync(): Promise<void>;
    /**
     * Renames the file, after {@link sync}. When this resolves, it survives a power failure. If it rejects, {@link readBack} still
     * works.
     *
     * @throws BatchFileError
     */
    commit(file: string): Promise<void>;
    /** Removes the partial file, if it still has this name. */
    discard(): Promise<void>;
}
