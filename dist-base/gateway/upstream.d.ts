import type { IncomingHttpHeaders } from "node:http";
import { type Dispatcher } from "undici";
/** A call to a worker that the gateway makes itself. */
export interface UpstreamCall {
    readonly method?: "GET" | "POST" | "DELETE";
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    /** Sent as JSON. */
    readonly body?: object;
    readonly signal?: AbortSignal;
}
export interface UpstreamReply {
    readonly status: number;
    readonly headers: IncomingHttpHeaders;
    readonly body: Buffer;
}
/** The gateway's connections to its workers. Responses have no time limit, because a generation may take any time. */
export declare class Upstream {
    #private;
    get dispatcher(): Dispatcher;
    /** Calls a worker and returns its whole reply, whatever the status. Rejects if the worker does not answer. */
    call(url: string, { method, path, headers, body, signal }: UpstreamCall): Promise<UpstreamReply>;
    /** Closes all connections. */
    close(): Promise<void>;
}
