import { Readable } from "node:stream";
/**
 * Wraps a request body so that it can be sent again if no byte of it was sent. If a connection is refused, the HTTP client destroys
 * the body of the request; this wrapper is then destroyed, but its source stays readable.
 */
export declare class UnsentBody extends Readable {
    #private;
    constructor(source: Readable);
    /** True once the HTTP client has begun to read the body, which it does when it is connected. */
    get isRead(): boolean;
    _read(): void;
    _destroy(error: Error | null, done: (error: Error | null) => void): void;
}
