import { createHash } from "node:crypto";
import type { Batch } from "../../src/session/batch/batch.js";

/** SHA-256 of every tensor's bytes, by name. */
export type Checksums = Readonly<Record<string, string>>;

export function sha256(bytes: NodeJS.ArrayBufferView): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export function batchChecksums(batch: Batch): Checksums {
  return Object.fromEntries(Object.entries(batch.tensors).map(([name, { data }]) => [name, sha256(data)]));
}

/**
 * Throws if a reference wrote other bytes than the export, because times of different work cannot be compared.
 *
 * @param names tensors that must be the same. Default: all tensors of the export
 */
export function requireSame(
  reference: string,
  exported: Checksums,
  written: Checksums,
  names = Object.keys(exported),
): void {
  for (const name of names) {
    if (written[name] !== exported[name]) throw new Error(`${reference} and the export differ in ${name}`);
  }
}
