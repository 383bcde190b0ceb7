import type { Readable } from "node:stream";
import { type buildConnector } from "undici";
export interface HttpRequest {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string | undefined;
    readonly signal: AbortSignal;
}
export interface HttpReply {
    readonly status: number;
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly body: Uint8Array;
}
/** An answer whose body is still arriving. */
export interface HttpStream extends Omit<HttpReply, "body"> {
    /** Must be read to its end or destroyed. Fails if the connection breaks before the end. */
    readonly body: Readable;
}
/**
 * The HTTP connections of a rollout worker: its control calls and its agents' model calls share them. The only time limit
 * of an answer is its call's signal, because generations can be long.
 */
export declare class ConnectionPool {
    #private;
    /** @param connect opens a connection; default: over TCP or TLS */
    constructor(connect?: buildConnector.connector);
    /** `fetch` over these connections. */
    readonly fetch: typeof fetch;
    /** Sends one request and returns its complete answer. */
    request(url: string, request: HttpRequest): Promise<HttpReply>;
    /** Sends one request and returns its answer when the headers have arrived. */
    open(url: string, request: HttpRequest): Promise<HttpStream>;
    /** Closes every connection, even those with a call in flight. */
    close(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}
