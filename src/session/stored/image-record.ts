import { createHash } from "node:crypto";
import type { Steps } from "../../support/async/steps.js";
import type { ImageBytes } from "../session-images.js";

const DIGEST_BYTES = 32;
const LENGTH_BYTES = 4;
/** Bytes whose digest takes about a millisecond. */
const HASHED_AT_ONCE = 1 << 19;

/** Returns the bytes of image files: for each, its SHA-256 (32), the length of the file (4), the file. The digest is the checksum. */
export function encodeImages(files: readonly ImageBytes[]): Buffer {
  return Buffer.concat(
    files.flatMap(({ sha256, bytes }) => {
      const length = Buffer.alloc(LENGTH_BYTES);
      length.writeUInt32LE(bytes.length);
      return [Buffer.from(sha256, "hex"), length, bytes];
    }),
  );
}

/** Returns copies of the files. Throws if the bytes are damaged. */
export function* decodeImages(record: Buffer): Steps<ImageBytes[]> {
  const files: ImageBytes[] = [];
  for (let at = 0; at < record.length; ) {
    const start = at + DIGEST_BYTES + LENGTH_BYTES;
    if (start > record.length) throw new Error("it is truncated");
    const end = start + record.readUInt32LE(at + DIGEST_BYTES);
    if (end > record.length) throw new Error("it is truncated");
    // A copy with an ArrayBuffer of its own, because the record's memory is reused.
    const bytes = new Uint8Array(record.subarray(start, end));
    const sha256 = record.toString("hex", at, at + DIGEST_BYTES);
    if ((yield* digestInSteps(bytes)) !== sha256) throw new Error("its checksum is wrong");
    files.push({ sha256, bytes });
    at = end;
  }
  return files;
}

function* digestInSteps(bytes: Uint8Array): Steps<string> {
  const hash = createHash("sha256");
  for (let from = 0; from < bytes.length; from += HASHED_AT_ONCE) {
    if (from > 0) yield;
    hash.update(bytes.subarray(from, from + HASHED_AT_ONCE));
  }
  return hash.digest("hex");
}
