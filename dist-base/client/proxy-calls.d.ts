import { z } from "zod";
import type { HttpReply, HttpStream } from "./connection-pool.js";
import type { Transport } from "./transport.js";
export interface CallOptions {
    readonly signal?: AbortSignal | undefined;
    /** Seconds until the call, with its repetitions, fails with `request_timed_out`. Default 60. */
    readonly timeoutSeconds?: number | undefined;
}
export interface ProxyCall extends CallOptions {
    readonly method?: "GET" | "POST" | "DELETE";
    readonly path: string;
    readonly body?: object | undefined;
    /** Repeating the call has no further effect, so it is sent again if the connection breaks. */
    readonly idempotent: boolean;
    /** Send the call again if a gateway cannot reach a worker. Only for calls that have an effect on several workers. */
    readonly repeatIfUnavailable?: boolean;
}
/** Sends calls with one key. Requests are JSON, answers JSON or bytes. Errors become a {@link ProxyError}. */
export declare class ProxyCalls {
    #private;
    constructor(transport: Transport, key: string);
    json<Schema extends z.ZodType>(call: ProxyCall, reply: Schema): Promise<z.output<Schema>>;
    bytes(call: ProxyCall): Promise<Uint8Array>;
    /** Returns the whole answer of a call that succeeded. */
    reply(call: ProxyCall): Promise<HttpReply>;
    /**
     * Hands over the answer of a call that succeeded while it arrives. If `receive` rejects, the connection counts as broken: an
     * idempotent call is sent again, and `receive` is called with the next answer.
     */
    receive<T>(call: ProxyCall, receive: (reply: HttpStream) => Promise<T>): Promise<T>;
}
