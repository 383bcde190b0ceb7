import { once } from "node:events";
import { chmod, lstat, rm } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import type { App } from "./app-type.js";
import { formatUrl } from "./format-url.js";

/** Maximum number of connections that wait to be accepted. So large that only the operating system limits it (`net.core.somaxconn`). */
export const LISTEN_BACKLOG = 65_535;

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Path of a Unix socket that serves the same routes. Null: none. */
  readonly socket: string | null;
}

/**
 * Opens the port of an application and, if `socket` is set, its Unix socket. If the socket cannot be opened, closes the application.
 * Returns the address of the port.
 */
export async function listen(app: App, { host, port, socket }: ListenOptions): Promise<string> {
  await app.listen({ host, port, backlog: LISTEN_BACKLOG });
  if (socket !== null) {
    try {
      app.connections.addServer(await openUnixSocket(socket, app.server, LISTEN_BACKLOG));
    } catch (error) {
      await app.close();
      throw new Error(`server.socket cannot be opened: ${(error as Error).message}`, { cause: error });
    }
  }
  return formatUrl(app.server.address() as AddressInfo);
}

/**
 * Passes the connections of a Unix socket to an HTTP server, as if they came from its port.
 *
 * Only the user of the process may connect. A socket file that a dead process left is replaced. Closing the returned server removes
 * the file.
 *
 * @throws Error if the path is in use, or is another kind of file
 */
async function openUnixSocket(path: string, http: Server, backlog: number): Promise<Server> {
  await removeStale(path);
  // As `http.Server` does: a client may close its side after the request and still read the answer.
  const server = createServer({ allowHalfOpen: true }, (socket) => void http.emit("connection", socket));
  server.listen({ path, backlog });
  await once(server, "listening");
  try {
    await chmod(path, 0o600);
  } catch (error) {
    server.close();
    throw error;
  }
  return server;
}

async function removeStale(path: string): Promise<void> {
  const stats = await lstat(path).catch(() => undefined);
  if (!stats) return;
  if (!stats.isSocket()) throw new Error(`${path} exists and is not a socket`);
  if (await isListening(path)) throw new Error(`another process listens on ${path}`);
  await rm(path, { force: true });
}

/** Returns true if a process listens on a socket. */
async function isListening(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, "connect");
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ECONNREFUSED") return false;
    throw error;
  } finally {
    socket.destroy();
  }
}
