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

/** Throws where a rival wrote other bytes than we did: times of different work are not compared. */
export function requireSame(rival: string, ours: Checksums, theirs: Checksums): void {
  for (const [name, sum] of Object.entries(ours)) {
    if (theirs[name] !== sum) throw new Error(`${rival} and the export differ in ${name}`);
  }
}
