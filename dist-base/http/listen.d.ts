import type { App } from "./app-type.js";
export interface ListenOptions {
    readonly host: string;
    readonly port: number;
    /** Connections that the operating system keeps waiting. */
    readonly listen_backlog: number;
    /** Path of a Unix socket that serves the same routes. Null: none. */
    readonly socket: string | null;
}
/**
 * Opens the port of an application and, if `socket` is set, its Unix socket. If the socket cannot be opened, closes the application.
 * Returns the address of the port.
 */
export declare function listen(app: App, { host, port, listen_backlog: backlog, socket }: ListenOptions): Promise<string>;
