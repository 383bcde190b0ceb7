/** A file whose writes resolve once they are on disk. A thread of the file runs them one after the other. */
export interface NativeSyncedFile {
    /**
     * Writes bytes and waits until they are on disk. Copies the bytes before it returns.
     *
     * @param offset from the start of the file, in bytes
     * @throws `ERR_WRITE_FAILED` if the file does not accept the bytes, `ERR_SYNC_FAILED` if the disk does not confirm them,
     * `ERR_RELEASED` after {@link release}. The message says why
     */
    write(bytes: Uint8Array, offset: number): Promise<void>;
    /** Blocks until the writes so far have ended, and closes the file. Idempotent. */
    release(): void;
}
