import { joinIds } from "./join-ids.js";
/** Approximate number of characters of a batch. It takes a thread a few milliseconds. */
const BATCH_LENGTH = 1 << 16;
/**
 * Encodes pieces of text in batches of about the same size: large pieces in parts, small pieces together. Threads share the
 * work, and callers share the threads.
 *
 * @param encode encodes the texts of one batch
 * @returns the ids of each piece, in separate arrays
 */
export async function encodeInBatches(pieces, cutter, encode) {
    const partsByPiece = pieces.map((piece) => cutter.parts(piece, BATCH_LENGTH));
    const encoded = (await Promise.all(makeBatches(partsByPiece.flat()).map(encode))).flat();
    let next = 0;
    // A copy even of a single part, which is a view of a whole batch and would keep it in memory.
    return partsByPiece.map(({ length }) => joinIds(encoded.slice(next, (next += length))));
}
function makeBatches(texts) {
    const batches = [];
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
//# sourceMappingURL=text-batch.js.map