import type { Dispatcher } from "undici";
import type { AbortSource } from "../../../support/async/abort-source.js";
import type { ConnectionUse } from "./keep-alive-client.js";
export interface PostRequest {
    /** Origin of the server, for error messages. */
    readonly origin: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: Buffer;
    readonly signal: AbortSource;
}
/** Receives the body of a reply piece by piece. An error that it throws ends the request. */
export interface ReplySink {
    /** @param header returns a header's value by its name in lower case; empty if there is none. */
    begin(status: number, header: (name: string) => string): void;
    piece(bytes: Buffer): void;
}
/**
 * Sends a request and passes the reply's body to the sink as it comes from the socket, without a copy or a stream in
 * between. Resolves when the body is complete. Rejects with the signal's reason, with the sink's error, or with an
 * EngineError if the connection failed.
 */
export declare function post(dispatcher: Dispatcher, request: PostRequest, use: ConnectionUse, sink: ReplySink): Promise<void>;
