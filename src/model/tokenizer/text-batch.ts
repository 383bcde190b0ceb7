import { IdBuffer } from "./id-buffer.js";

/** How many characters are encoded in one go, about: some milliseconds of a thread. */
const BATCH_LENGTH = 1 << 16;

/** A piece that may be encoded in parts. */
interface Pieces {
  parts(piece: string, size: number): string[];
}

/**
 * Encodes pieces of text in batches of about the same size: a large piece in parts, many small ones together, so that
 * several threads share the work and several callers the threads.
 *
 * @param encode encodes the texts of one batch
 * @returns the ids of every piece, each in memory of its own
 */
export async function encodeInBatches(
  pieces: readonly string[],
  encoder: Pieces,
  encode: (texts: readonly string[]) => Promise<Int32Array[]>,
): Promise<Int32Array[]> {
  const cut = pieces.map((piece) => encoder.parts(piece, BATCH_LENGTH));
  const answers = await Promise.all(batchesOf(cut.flat()).map(encode));
  const parts = answers.flat();
  let next = 0;
  return cut.map(({ length }) => {
    const ids = new IdBuffer();
    for (const part of parts.slice(next, (next += length))) ids.push(part);
    return ids.ids();
  });
}

function batchesOf(texts: readonly string[]): string[][] {
  const batches: string[][] = [];
  let room = 0;
  for (const text of texts) {
    if (room < text.length) {
      batches.push([]);
      room = BATCH_LENGTH;
    }
    batches.at(-1)?.push(text);
    room -= text.length;
  }
  return batches;
}
