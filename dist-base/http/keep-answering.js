/** Bytes that are received and dropped. Later ones stay with the operating systems, so the client has to wait. */
const MAX_DROPPED_BYTES = 1 << 20;
/**
 * Lets the answers to earlier requests end on a connection that Node has handed over with a CONNECT request. Node does not listen to
 * such a socket any more. Without this, a long answer would wait for `drain` forever, and a disconnect of the client would go unnoticed.
 */
export function keepAnswering(socket) {
    socket.on("error", () => socket.destroy());
    socket.on("drain", () => {
        const answer = socket._httpMessage;
        if (answer?.writableNeedDrain)
            answer.emit("drain");
    });
    let dropped = 0;
    // The end of the client's side is only seen behind the bytes before it.
    socket.on("data", (bytes) => {
        dropped += bytes.length;
        if (dropped > MAX_DROPPED_BYTES)
            socket.pause();
    });
}
//# sourceMappingURL=keep-answering.js.map