import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { readFrames } from "../../session/stored/file/frames.js";
import { readPieces } from "../../support/async/read-pieces.js";
import { PartialBatch, type PartialFileSystem } from "./partial-batch.js";

/** Larger pieces take more memory, smaller ones more processor time. */
const PIECE_BYTES = 1 << 22;

/**
 * Receives a sessions file into a partial file beside `file`, checks that it is complete, and renames it. When this resolves, the file
 * survives a power failure. If it rejects, no partial file is left.
 *
 * @returns the size in bytes
 */
export async function receiveSessions(body: Readable, file: string, disk?: PartialFileSystem): Promise<number> {
  const partial = await PartialBatch.create(file, undefined, disk);
  try {
    for await (const piece of readPieces(body, PIECE_BYTES)) await partial.append(piece);
    await partial.sync();
    for await (const _ of readFrames(createReadStream(partial.path) as AsyncIterable<Buffer>, "The answer"));
    const { length } = partial;
    await partial.commit(file);
    return length;
  } catch (error) {
    await partial.discard();
    throw error;
  }
}
