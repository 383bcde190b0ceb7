import { closeSync, fdatasyncSync, openSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import { sized } from "../sized.js";

const WRITES = sized(400, 10);
const BYTES = 16 * 2 ** 10;

/** Overwrites parts of a file and returns how long it took until each was on disk, in milliseconds. */
export function measureSync(directory: string): number[] {
  const path = join(directory, "fdatasync.bin");
  const file = openSync(path, "w");
  const block = Buffer.alloc(BYTES, 1);
  try {
    writeSync(file, Buffer.alloc(WRITES * BYTES));
    fdatasyncSync(file);
    return Array.from({ length: WRITES }, (_, n) => {
      writeSync(file, block, 0, BYTES, n * BYTES);
      const began = performance.now();
      fdatasyncSync(file);
      return performance.now() - began;
    });
  } finally {
    closeSync(file);
    unlinkSync(path);
  }
}
