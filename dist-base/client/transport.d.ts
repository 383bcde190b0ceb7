import type { ConnectionPool, HttpReply, HttpRequest, HttpStream } from "./connection-pool.js";
/** Sends requests to a proxy. */
export interface Transport {
    send(path: string, request: HttpRequest): Promise<HttpReply>;
    /** Sends a request and returns its answer while it arrives. If this method is absent, answers are received as a whole. */
    open?(path: string, request: HttpRequest): Promise<HttpStream>;
    /** Returns true if the worker with this tag answers at the address. If this method is absent, all calls go to the proxy. */
    reachesWorker?(address: string, tag: string): Promise<boolean>;
}
/** A proxy behind a URL. */
export declare class HttpTransport implements Transport {
    #private;
    constructor(url: string, connections: ConnectionPool);
    send(path: string, request: HttpRequest): Promise<HttpReply>;
    open(path: string, request: HttpRequest): Promise<HttpStream>;
    reachesWorker(address: string, tag: string): Promise<boolean>;
}
/** Returns the address to which paths of the proxy are appended: without query, trailing slashes and `/v1`. */
export declare function proxyUrl(address: string): string;
