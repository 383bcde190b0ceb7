/**
 * Yields the chunks of a stream in lists of at least `bytes` bytes. The last list may be smaller. The stream is paused between lists and must
 * have no other reader.
 *
 * Chunks are passed on unchanged. Iterating over the stream itself would join waiting chunks in new memory.
 */
export async function* readPieces(stream, bytes) {
    while (!stream.readableEnded) {
        const piece = await readPiece(stream, bytes);
        if (piece.length > 0)
            yield piece;
    }
}
function readPiece(stream, bytes) {
    return new Promise((resolve, reject) => {
        if (stream.errored)
            return reject(stream.errored);
        if (stream.destroyed)
            return reject(closedError());
        const piece = [];
        let length = 0;
        const settle = (end) => {
            for (const [event, listener] of Object.entries(listeners))
                stream.off(event, listener);
            stream.pause();
            end();
        };
        const listeners = {
            data: (chunk) => {
                piece.push(chunk);
                length += chunk.length;
                if (length >= bytes)
                    settle(() => resolve(piece));
            },
            end: () => settle(() => resolve(piece)),
            error: (error) => settle(() => reject(error)),
            close: () => settle(() => reject(closedError())),
        };
        for (const [event, listener] of Object.entries(listeners))
            stream.on(event, listener);
        stream.resume();
    });
}
const closedError = () => new Error("the stream was closed before its end");
//# sourceMappingURL=read-pieces.js.map