import type { ServerConnections } from "../servers/wire/connections.js";
/** Asks a server for its limit of prompt and output tokens together. */
export declare function askContextLength(server: ServerConnections): Promise<number>;
/**
 * Reads the context length in a reply of `/server_info`. `context_length` is null if the server was started without that
 * argument; the scheduler's own value is then `max_req_input_len`. The result is one token less than the context, because
 * SGLang refuses requests that would fill it to the last token.
 */
export declare function readContextLength(body: string): number | undefined;
