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
 * Throws if a rival wrote other bytes than we did: times of different work are not compared.
 *
 * @param names tensors that must be the same; all of ours by default
 */
export function requireSame(rival: string, ours: Checksums, theirs: Checksums, names = Object.keys(ours)): void {
  for (const name of names) {
    if (theirs[name] !== ours[name]) throw new Error(`${rival} and the export differ in ${name}`);
  }
}
