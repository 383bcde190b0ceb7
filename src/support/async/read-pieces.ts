import type { Readable } from "node:stream";

/**
 * Yields the chunks of a stream in lists of at least `bytes` bytes. The last list may be smaller. The stream is paused between lists and must
 * have no other reader.
 *
 * Chunks are passed on unchanged. Iterating over the stream itself would join waiting chunks in new memory.
 */
export async function* readPieces(stream: Readable, bytes: number): AsyncGenerator<readonly Uint8Array[]> {
  while (!stream.readableEnded) {
    const piece = await readPiece(stream, bytes);
    if (piece.length > 0) yield piece;
  }
}

function readPiece(stream: Readable, bytes: number): Promise<readonly Uint8Array[]> {
  return new Promise((resolve, reject) => {
    if (stream.errored) return reject(stream.errored);
    if (stream.destroyed) return reject(closedError());
    const piece: Uint8Array[] = [];
    let length = 0;
    const settle = (end: () => void) => {
      for (const [event, listener] of Object.entries(listeners)) stream.off(event, listener);
      stream.pause();
      end();
    };
    const listeners = {
      data: (chunk: Uint8Array) => {
        piece.push(chunk);
        length += chunk.length;
        if (length >= bytes) settle(() => resolve(piece));
      },
      end: () => settle(() => resolve(piece)),
      error: (error: Error) => settle(() => reject(error)),
      close: () => settle(() => reject(closedError())),
    };
    for (const [event, listener] of Object.entries(listeners)) stream.on(event, listener);
    stream.resume();
  });
}

const closedError = (): Error => new Error("the stream was closed before its end");
