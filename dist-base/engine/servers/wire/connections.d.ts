import type { AbortSource } from "../../../support/async/abort-source.js";
import { type ReplySink } from "./post.js";
export interface GenerateRequest {
    /** Path below the server's base URL, without a leading slash. */
    readonly path: string;
    readonly body: Buffer;
    /** Called when the request succeeded and its body is sent. Without it, the body's memory is freed then. */
    readonly onSent?: (() => void) | undefined;
    /** Identifies the session, for routers that send a session to one worker. */
    readonly routingKey: string;
    readonly headers?: Readonly<Record<string, string>> | undefined;
}
export interface ControlRequest {
    readonly method: "GET" | "POST";
    readonly path: string;
    /** Sent with the admin key, if there is one. */
    readonly admin?: boolean;
    /** Sent as JSON. */
    readonly body?: unknown;
    readonly signal?: AbortSignal | undefined;
    /** Time limit of the reply; default 10 s. 0: only the signal limits it. */
    readonly timeoutMilliseconds?: number;
}
export interface ServerKeys {
    readonly apiKey?: string | undefined;
    readonly adminApiKey?: string | undefined;
}
/** Connections to one engine server, or to a router. */
export declare class ServerConnections {
    #private;
    /**
     * @param connections maximum number of generations that run at once. Each has its own connection.
     * @param keys `adminApiKey` is the key of the server's control endpoints, if it differs from `apiKey`
     */
    constructor(url: string, connections: number, keys: ServerKeys);
    /**
     * Requests a generation. If a kept-alive connection breaks before the first byte of the reply, the request is sent once
     * more on a new connection. No other generation is sent twice.
     *
     * @param makeSink creates the sink of a reply; called for each request that is sent
     * @returns the sink that took the reply
     * @throws NotStartedError if the server cannot have received the whole request
     */
    generate<Sink extends ReplySink>(request: GenerateRequest, makeSink: () => Sink, signal: AbortSource): Promise<Sink>;
    /**
     * Returns status and body of the reply, whatever the status. If the connection breaks before the reply, the request is sent once
     * more, because the server may have closed the connection when it was idle. Every control request may arrive twice.
     */
    control(request: ControlRequest): Promise<{
        status: number;
        body: string;
    }>;
    get(path: string, signal?: AbortSignal): Promise<{
        status: number;
        body: string;
    }>;
    /** Closes all connections. Requests in flight reject with engine_unavailable. */
    close(): Promise<void>;
}
