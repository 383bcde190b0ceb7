import type { IncomingHttpHeaders } from "node:http";
import type { KeyFinder } from "./key-finder.js";
type Headers = Record<string, string | string[]>;
/** The header in which a protocol's servers expect the key. */
export type KeyHeader = "authorization" | "x-api-key";
/**
 * Returns the headers of a request for the upstream.
 *
 * @param holdsKey finds the keys of the request. No header that contains one of them is sent.
 */
export declare function toUpstreamHeaders(headers: IncomingHttpHeaders, holdsKey: KeyFinder, key: {
    readonly header: KeyHeader;
    readonly value: string | undefined;
}): Headers;
/** Returns the headers of an upstream's reply for the client. */
export declare function toClientHeaders(headers: IncomingHttpHeaders): Headers;
export {};
