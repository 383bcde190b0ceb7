import type { Change } from "../../../src/storage/index.js";

/** A way to keep records on disk. Contenders are compared under the same group commit. */
export interface Store {
  /** Puts changes on disk. Resolves when they survive a loss of power. */
  commit(changes: readonly Change[]): Promise<void>;
  /** Reads all records whose keys begin with `prefix`. Returns the bytes of their values. */
  readRecords(prefix: Uint8Array): Promise<number>;
  close(): Promise<void>;
}

export interface Contender {
  readonly name: string;
  open(directory: string): Promise<Store>;
}
