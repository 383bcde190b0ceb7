import type { AddressInfo } from "node:net";
import type { App } from "./app-type.js";
import { formatUrl } from "./format-url.js";
import { openUnixSocket } from "./unix-socket.js";

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
