import { lstat, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { openRegularFile } from "./regular-file.js";

/** The operations of a file handle that reading needs. */
export interface OpenFile {
  read(bytes: Uint8Array, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
  stat(): Promise<{ readonly size: number; readonly ino: number; readonly mtimeMs: number }>;
  close(): Promise<unknown>;
}

/** Opens files to read them. */
export interface FileAccess {
  /** Rejects if there is no such file. */
  open(path: string): Promise<OpenFile>;
  /** Returns the path of a regular file with this name in a folder, not below it; undefined if there is none. */
  find(folder: string, name: string): Promise<string | undefined>;
}

/** The files of this machine. Links are followed only to files of the same folder. */
export const LOCAL_FILES: FileAccess = {
  open: openRegularFile,
  async find(folder, name) {
    try {
      const real = await realpath(folder);
      const path = await realpath(join(real, name));
      // Opening a pipe or a device may block.
      return dirname(path) === real && (await lstat(path)).isFile() ? path : undefined;
    } catch {
      return undefined;
    }
  },
};
