import type { ConnectionPool, HttpReply, HttpRequest, HttpStream } from "./connection-pool.js";
import { reachesWorker } from "./worker-probes.js";

/** Sends requests to a proxy. */
export interface Transport {
  send(path: string, request: HttpRequest): Promise<HttpReply>;
  /** Sends a request and returns its answer while it arrives. If this method is absent, answers are received as a whole. */
  open?(path: string, request: HttpRequest): Promise<HttpStream>;
  /** Returns true if the worker with this tag answers at the address. If this method is absent, all calls go to the proxy. */
  reachesWorker?(address: string, tag: string): Promise<boolean>;
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

  open(path: string, request: HttpRequest): Promise<HttpStream> {
    return this.#connections.open(this.#url + path, request);
  }

  reachesWorker(address: string, tag: string): Promise<boolean> {
    return reachesWorker(this.#connections, address, tag);
  }
}

/** Returns the address to which paths of the proxy are appended: without query, trailing slashes and `/v1`. */
export function proxyUrl(address: string): string {
  const { origin, pathname } = new URL(address);
  return origin + pathname.replace(/\/+$/, "").replace(/\/v1$/, "");
}
