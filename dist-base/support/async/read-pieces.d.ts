import type { Readable } from "node:stream";
/**
 * Yields the chunks of a stream in lists of at least `bytes` bytes. The last list may be smaller. The stream is paused between lists and must
 * have no other reader.
 *
 * Chunks are passed on unchanged. Iterating over the stream itself would join waiting chunks in new memory.
 */
export declare function readPieces(stream: Readable, bytes: number): AsyncGenerator<readonly Uint8Array[]>;
