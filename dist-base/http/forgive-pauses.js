import { ActiveTime } from "./active-time.js";
/**
 * Time after the announced end of an idle connection in which requests are still accepted. A client that sends its next request
 * just before that end would otherwise get a reset.
 */
const IDLE_SPARE_MS = 1000;
/**
 * Keeps pauses out of the time that clients have for a request. If the machine is suspended, or so busy that its processes stand
 * still, clients on it stand still too. When they go on, Node's time-outs have passed on the clock. Node would then answer
 * half-sent requests with 408, and reset idle connections that clients are about to use.
 *
 * @param checkMs time between Node's checks for slow requests
 */
export function forgivePauses(server, timeouts, checkMs) {
    const { headersTimeoutMilliseconds: headers, requestTimeoutMilliseconds: request } = timeouts;
    const activeTime = new ActiveTime(checkMs, Math.max(headers, request));
    const extend = (timeout) => {
        activeTime.check();
        return timeout === 0 ? 0 : timeout + activeTime.measurePaused(timeout);
    };
    // Node reads both values in each check, and nothing else reads them. A check that comes late shows the pause.
    Object.defineProperty(server, "headersTimeout", { get: () => extend(headers) });
    Object.defineProperty(server, "requestTimeout", { get: () => extend(request) });
    server.on("listening", () => activeTime.check());
    // Without a listener, Node closes the connection at once.
    server.on("timeout", closeIfIdle);
}
/** Closes a connection unless it receives something within a short time. */
function closeIfIdle(socket) {
    const { bytesRead } = socket;
    const timer = setTimeout(() => {
        if (socket.bytesRead === bytesRead)
            socket.destroy();
    }, IDLE_SPARE_MS);
    socket.once("close", () => clearTimeout(timer));
}
//# sourceMappingURL=forgive-pauses.js.map