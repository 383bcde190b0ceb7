import type { Server } from "node:http";
export interface RequestTimeouts {
    readonly headersTimeoutMilliseconds: number;
    readonly requestTimeoutMilliseconds: number;
}
/**
 * Keeps pauses out of the time that clients have for a request. If the machine is suspended, or so busy that its processes stand
 * still, clients on it stand still too. When they go on, Node's time-outs have passed on the clock. Node would then answer
 * half-sent requests with 408, and reset idle connections that clients are about to use.
 *
 * @param checkMs time between Node's checks for slow requests
 */
export declare function forgivePauses(server: Server, timeouts: RequestTimeouts, checkMs: number): void;
