import { type Dispatcher } from "undici";
import type { UpstreamRequest } from "./upstream-request.js";
export interface SendOptions {
    /** Model name for error messages. They do not show the address, which may be internal. */
    readonly model: string;
    /** The call fails if no byte of the reply arrives for this time. */
    readonly timeoutSeconds: number;
    readonly signal: AbortSignal;
}
/** The connections to upstreams. */
export declare class UpstreamClient {
    #private;
    /**
     * Sends a call and resolves when its reply begins, whatever its status.
     *
     * @throws ApiError `upstream_unavailable` or `upstream_timeout`, or the signal's reason
     */
    send(request: UpstreamRequest, options: SendOptions): Promise<Dispatcher.ResponseData>;
    close(): Promise<void>;
}
