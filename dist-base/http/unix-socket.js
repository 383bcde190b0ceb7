import { once } from "node:events";
import { chmod, lstat, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
/**
 * Passes the connections of a Unix socket to an HTTP server, as if they came from its port.
 *
 * Only the user of the process may connect. A socket file that a dead process left is replaced. Closing the returned server removes
 * the file.
 *
 * @throws Error if the path is in use, or is another kind of file
 */
export async function openUnixSocket(path, http, backlog) {
    await removeStale(path);
    // As `http.Server` does: a client may close its side after the request and still read the answer.
    const server = createServer({ allowHalfOpen: true }, (socket) => void http.emit("connection", socket));
    server.listen({ path, backlog });
    await once(server, "listening");
    try {
        await chmod(path, 0o600);
    }
    catch (error) {
        server.close();
        throw error;
    }
    return server;
}
async function removeStale(path) {
    const stats = await lstat(path).catch(() => undefined);
    if (!stats)
        return;
    if (!stats.isSocket())
        throw new Error(`${path} exists and is not a socket`);
    if (await isListening(path))
        throw new Error(`another process listens on ${path}`);
    await rm(path, { force: true });
}
/** Returns true if a process listens on a socket. */
async function isListening(path) {
    const socket = connect(path);
    try {
        await once(socket, "connect");
        return true;
    }
    catch (error) {
        if (error.code === "ECONNREFUSED")
            return false;
        throw error;
    }
    finally {
        socket.destroy();
    }
}
//# sourceMappingURL=unix-socket.js.map