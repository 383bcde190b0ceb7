import { randomBytes } from "node:crypto";
import { closeSync, fchmodSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { readRegularFileSync } from "../support/regular-file.js";

/**
 * Writes a key and a line break to a file that only its owner can read.
 *
 * The file appears complete or not at all. An existing file or link is replaced, not written to. A folder that has to
 * be created is accessible to its owner only.
 */
export function writeKeyFile(file: string, key: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${randomBytes(8).toString("hex")}`;
  const descriptor = openSync(temporary, "wx", 0o600);
  try {
    fchmodSync(descriptor, 0o600);
    writeSync(descriptor, `${key}\n`);
    fsyncSync(descriptor);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** Removes a key file, unless another server has put its own key there. */
export function removeKeyFile(file: string, key: string): void {
  if (readKey(file) === key) rmSync(file, { force: true });
}

function readKey(file: string): string | undefined {
  try {
    return readRegularFileSync(file).trim();
  } catch {
    return undefined;
  }
}
