/**
 * Pauses between probes, in milliseconds. The last one repeats. The first one is about the round trip within a data center, so
 * the second probe already fails if the client is gone. An answer that is sampled later is then known to be undelivered.
 */
const PAUSES = [1, 5, 25, 100, 1000, 5000, 15_000];
/**
 * Calls `probe` at intervals once the client has closed its side of the connection, until `stop` is called.
 *
 * A client that closed only its own side looks like one that is gone until something is sent to it. If it is gone, its system
 * replies to the first bytes with a reset. The next write then fails.
 *
 * @returns `stop`
 */
export function onHalfOpen(reply, probe) {
    const { socket } = reply.request.raw;
    let timer;
    let stopped = false;
    const send = (sent) => {
        if (stopped || socket.destroyed)
            return;
        probe();
        timer = setTimeout(send, PAUSES[sent] ?? PAUSES.at(-1), sent + 1);
    };
    const onEnd = () => send(0);
    if (socket.readableEnded)
        queueMicrotask(onEnd);
    else
        socket.on("end", onEnd);
    return () => {
        stopped = true;
        clearTimeout(timer);
        socket.off("end", onEnd);
    };
}
//# sourceMappingURL=half-open.js.map