import { formatUrl } from "./format-url.js";
import { openUnixSocket } from "./unix-socket.js";
/**
 * Opens the port of an application and, if `socket` is set, its Unix socket. If the socket cannot be opened, closes the application.
 * Returns the address of the port.
 */
export async function listen(app, { host, port, listen_backlog: backlog, socket }) {
    await app.listen({ host, port, backlog });
    if (socket !== null) {
        try {
            app.connections.addServer(await openUnixSocket(socket, app.server, backlog));
        }
        catch (error) {
            await app.close();
            throw new Error(`server.socket cannot be opened: ${error.message}`, { cause: error });
        }
    }
    return formatUrl(app.server.address());
}
//# sourceMappingURL=listen.js.map