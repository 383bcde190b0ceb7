import type { ConnectionPool, HttpReply, HttpRequest } from "./connection-pool.js";

/** Sends requests to a proxy. */
export interface Transport {
  send(path: string, request: HttpRequest): Promise<HttpReply>;
}

/** A proxy behind a URL. */
export class HttpTransport implements Transport {
  readonly #url: string;
  readonly #connections: ConnectionPool;

  constructor(url: string, connections: ConnectionPool) {
    this.#url = proxyUrl(url);
    this.#connections = connections;
  }

  send(path: string, request: HttpRequest): Promise<HttpReply> {
    return this.#connections.request(this.#url + path, request);
  }
}

/** Returns the address to which paths of the proxy are appended: without query, trailing slashes and `/v1`. */
export function proxyUrl(address: string): string {
  const { origin, pathname } = new URL(address);
  return origin + pathname.replace(/\/+$/, "").replace(/\/v1$/, "");
}
