import { type Server } from "node:net";
/**
 * Passes the connections of a Unix socket to an HTTP server, as if they came from its port.
 *
 * Only the user of the process may connect. A socket file that a dead process left is replaced. Closing the returned server removes
 * the file.
 *
 * @throws Error if the path is in use, or is another kind of file
 */
export declare function openUnixSocket(path: string, http: Server, backlog: number): Promise<Server>;
