import type { ConnectionPool, HttpReply, HttpRequest } from "./connection-pool.js";

/** Carries a request to a proxy: over HTTP, or within this process. */
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

/** A proxy's address as paths are appended to it: without `/v1`, query and slash at its end. */
export function proxyUrl(address: string): string {
  const { origin, pathname } = new URL(address);
  return origin + pathname.replace(/\/+$/, "").replace(/\/v1$/, "");
}
