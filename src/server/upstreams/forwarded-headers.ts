import type { IncomingHttpHeaders } from "node:http";
import { RUN_WORKER_HEADER } from "../../http/session-name.js";
import type { KeyFinder } from "./key-finder.js";

/** Headers of one connection (RFC 9110, 7.6.1), which are not forwarded in either direction. */
const HOP_BY_HOP = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/** Headers that belong to the request to this server: its address, its body and its user. */
const NOT_SENT: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  "host",
  "content-length",
  "expect",
  "cookie",
  "authorization",
  "x-api-key",
  "api-key",
  // These select an organization or project of another key's account.
  "openai-organization",
  "openai-project",
  "forwarded",
  "via",
  "x-real-ip",
]);

const NOT_RETURNED: ReadonlySet<string> = new Set([...HOP_BY_HOP, "set-cookie", "alt-svc", RUN_WORKER_HEADER]);

type Headers = Record<string, string | string[]>;

/** The header in which a protocol's servers expect the key. */
export type KeyHeader = "authorization" | "x-api-key";

/**
 * Returns the headers of a request for the upstream.
 *
 * @param holdsKey finds the keys of the request. No header that contains one of them is sent.
 */
export function toUpstreamHeaders(
  headers: IncomingHttpHeaders,
  holdsKey: KeyFinder,
  key: { readonly header: KeyHeader; readonly value: string | undefined },
): Headers {
  const kept = filterHeaders(
    headers,
    NOT_SENT,
    (name, value) => name.startsWith("x-forwarded-") || holdsKey([value].flat().join(",")),
  );
  if (key.value === undefined) return kept;
  return { ...kept, [key.header]: key.header === "authorization" ? `Bearer ${key.value}` : key.value };
}

/** Returns the headers of an upstream's reply for the client. */
export function toClientHeaders(headers: IncomingHttpHeaders): Headers {
  return filterHeaders(headers, NOT_RETURNED, () => false);
}

function filterHeaders(
  headers: IncomingHttpHeaders,
  dropped: ReadonlySet<string>,
  isDropped: (name: string, value: string | string[]) => boolean,
): Headers {
  const ofConnection = new Set(headers.connection?.split(",").map((name) => name.trim().toLowerCase()));
  const kept: Headers = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || dropped.has(name) || ofConnection.has(name) || isDropped(name, value)) continue;
    kept[name] = value;
  }
  return kept;
}
