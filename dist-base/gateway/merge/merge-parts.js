import { ApiError } from "../../http/errors.js";
import { encodeHeader, tensorBytes } from "../../support/safetensors/write-header.js";
import { CHUNK_BYTES } from "./column.js";
import { mergeMetadata } from "./merge-metadata.js";
import { packedColumns } from "./packed-columns.js";
import { paddedColumns } from "./padded-columns.js";
import { RowTensors } from "./row-tensors.js";
import { findSegments } from "./segments.js";
import { treeColumns } from "./tree-columns.js";
const MAX_OFFSET = 2 ** 31 - 1;
/** Returns the layout of the parts. Parts of a padded batch are packed, because rows are padded to the longest of all parts. */
export function partLayout(layout) {
    return layout === "tree" ? "tree" : "packed";
}
/**
 * Merges the parts of several workers. The result is byte for byte the file that one worker with all these sessions would
 * send.
 *
 * @param sessionIds all sessions of the parts, in the order of the batch
 * @throws {@link ApiError} `batch_too_large` if offsets or the header do not fit the format
 */
export function mergeParts(parts, sessionIds, options) {
    const offsets = options.layout === "tree" ? "node_offsets" : "cu_seqlens";
    const segments = findSegments(parts, sessionIds, offsets);
    const rowTensors = new RowTensors(parts, segments);
    const columns = planColumns(segments, options, rowTensors);
    const metadata = mergeMetadata({ parts, segments, sessionIds, labels: rowTensors.labels }, options.layout);
    const header = buildHeader(columns, metadata);
    const byteLength = columns.reduce((sum, column) => sum + tensorBytes(column), header.length);
    return { byteLength, chunks: () => gatherChunks(header, columns) };
}
function buildHeader(columns, metadata) {
    try {
        return encodeHeader(columns, metadata);
    }
    catch (error) {
        throw error instanceof RangeError
            ? new ApiError("batch_too_large", `The batch has too many rows. ${error.message}`)
            : error;
    }
}
function planColumns(segments, options, rowTensors) {
    const tokens = segments.reduce((sum, { tokens: [from, to] }) => sum + to - from, 0);
    if (options.layout !== "padded" && tokens > MAX_OFFSET) {
        throw new ApiError("batch_too_large", `The batch has ${tokens} tokens; at most ${MAX_OFFSET} fit its int32 offsets.`);
    }
    if (options.layout === "padded")
        return paddedColumns(segments, options, rowTensors);
    return options.layout === "packed" ? packedColumns(segments, rowTensors) : treeColumns(segments, rowTensors);
}
/** Yields chunks of about {@link CHUNK_BYTES}. Copying small pieces into one chunk costs less than a socket write for each. */
function* gatherChunks(header, columns) {
    let block = Buffer.allocUnsafe(CHUNK_BYTES);
    let used = 0;
    for (const piece of readPieces(header, columns)) {
        if (used > 0 && used + piece.length > CHUNK_BYTES) {
            yield block.subarray(0, used);
            block = Buffer.allocUnsafe(CHUNK_BYTES);
            used = 0;
        }
        if (piece.length >= CHUNK_BYTES) {
            yield piece;
        }
        else {
            block.set(piece, used);
            used += piece.length;
        }
    }
    if (used > 0)
        yield block.subarray(0, used);
}
function* readPieces(header, columns) {
    yield header;
    for (const column of columns)
        yield* column.chunks();
}
//# sourceMappingURL=merge-parts.js.map