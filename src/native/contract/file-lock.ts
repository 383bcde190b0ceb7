/** A lock on a file. The operating system ends it with the process, however the process ends. */
export interface NativeFileLock {
  /** False if another process has the lock. A file on a read-only mount is locked as well. */
  readonly held: boolean;
  /** Ends the lock. Idempotent. */
  release(): void;
}
