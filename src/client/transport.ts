import { z } from "zod";
import { untilAborted } from "../support/async/until-aborted.js";
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

/** If a worker does not answer within this time, its calls go through the gateway. */
const PROBE_TIMEOUT_MS = 3_000;

const healthReply = z.object({ worker: z.object({ tag: z.string() }) });

/** The outcomes of probes by address and tag. Episodes share their connections, so each worker is probed once. */
const probesOf = new WeakMap<ConnectionPool, Map<string, Promise<boolean>>>();

/**
 * Returns true if the worker with this tag answers at the address. A gateway returns the address that it uses itself. From another
 * machine, this address may be unreachable or belong to another worker.
 */
export function reachesWorker(connections: ConnectionPool, address: string, tag: string): Promise<boolean> {
  const probes = probesOf.get(connections) ?? new Map<string, Promise<boolean>>();
  probesOf.set(connections, probes);
  const name = `${tag} ${address}`;
  const probe = probes.get(name) ?? hasTag(connections, address, tag);
  probes.set(name, probe);
  return probe;
}

async function hasTag(connections: ConnectionPool, address: string, tag: string): Promise<boolean> {
  const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
  try {
    const answer = connections.request(`${address}/health`, { method: "GET", headers: {}, signal });
    // The status is not checked: a worker has the session even if its engine is unavailable at the moment. `untilAborted` is
    // needed because undici ignores the signal while it opens a connection.
    const { body } = await untilAborted(answer, signal);
    return healthReply.parse(JSON.parse(Buffer.from(body).toString())).worker.tag === tag;
  } catch {
    return false;
  }
}
