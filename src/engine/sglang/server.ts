import { type Dispatcher, Pool } from "undici";
import { statusError, transportError } from "./errors.js";
import { Gate } from "./gate.js";
import { ConnectionUse, KeepAliveClient } from "./keep-alive-client.js";

/** Below the five seconds after which uvicorn, SGLang's web server, closes an idle connection. */
const KEEP_ALIVE_MS = 4_000;
const CONNECT_MS = 10_000;
const CONTROL_MS = 10_000;

/** A generation takes as long as it takes: neither its first nor its next byte has a time limit here. */
const GENERATE_OPTIONS = {
  headersTimeout: 0,
  bodyTimeout: 0,
  keepAliveTimeout: KEEP_ALIVE_MS,
  connectTimeout: CONNECT_MS,
  pipelining: 1,
} as const;

/** Connections to one SGLang server, or to a router. */
export class SglangServer {
  /** Holds back generations for which there is no connection. */
  readonly gate: Gate;
  readonly #base: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #generations: Pool;
  /** Control requests have connections of their own: an abort must not queue behind the generations that it is for. */
  readonly #control: Pool;

  constructor(url: string, connections: number, apiKey: string | undefined) {
    this.gate = new Gate(connections);
    this.#base = new URL(url.endsWith("/") ? url : `${url}/`);
    this.#headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
    this.#generations = new Pool(this.#base.origin, {
      ...GENERATE_OPTIONS,
      connections,
      factory: (origin, options) => new KeepAliveClient(origin, options),
    });
    this.#control = new Pool(this.#base.origin, {
      connections: 4,
      headersTimeout: CONTROL_MS,
      bodyTimeout: CONTROL_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectTimeout: CONNECT_MS,
    });
  }

  /**
   * Posts to `/generate`. Where the server had closed a kept-alive connection before a byte of the reply came, the
   * request is sent once more, on a connection of its own; nothing else is ever sent twice.
   *
   * @returns the body of a reply with status 200.
   */
  async generate(body: Buffer, routingKey: string, signal: AbortSignal): Promise<Uint8Array> {
    const use = new ConnectionUse();
    try {
      return await this.#postGenerate(this.#generations, body, routingKey, signal, use);
    } catch (error) {
      if (signal.aborted || !use.keptAliveWithoutReply) throw error;
      return await this.#onFreshConnection((client) => this.#postGenerate(client, body, routingKey, signal, use));
    }
  }

  async #onFreshConnection<T>(request: (client: KeepAliveClient) => Promise<T>): Promise<T> {
    const client = new KeepAliveClient(this.#base.origin, GENERATE_OPTIONS);
    try {
      return await request(client);
    } finally {
      await client.destroy();
    }
  }

  async #postGenerate(
    dispatcher: Dispatcher,
    body: Buffer,
    routingKey: string,
    signal: AbortSignal,
    opaque: ConnectionUse,
  ): Promise<Uint8Array> {
    try {
      const headers = {
        ...this.#headers,
        "content-type": "application/json",
        "x-smg-routing-key": headerValue(routingKey),
      };
      const request = { method: "POST", path: this.#path("generate"), headers, body, signal, opaque } as const;
      const response = await dispatcher.request(request);
      if (response.statusCode !== 200) throw statusError(response.statusCode, await response.body.text());
      return await response.body.bytes();
    } catch (error) {
      throw signal.aborted ? signal.reason : transportError(error);
    }
  }

  /** Ends a generation on the server: fire and forget, for the generation's own connection is closed besides. */
  abort(rid: string): void {
    const headers = { ...this.#headers, "content-type": "application/json" };
    this.#control
      .request({ method: "POST", path: this.#path("abort_request"), headers, body: JSON.stringify({ rid }) })
      .then((response) => response.body.dump())
      .catch(() => undefined);
  }

  /** @returns status and body of a GET, whatever the status. */
  async get(path: string, signal?: AbortSignal): Promise<{ status: number; body: string }> {
    try {
      const request = {
        method: "GET",
        path: this.#path(path),
        headers: this.#headers,
        signal: signal ?? null,
      } as const;
      const response = await this.#control.request(request);
      return { status: response.statusCode, body: await response.body.text() };
    } catch (error) {
      throw signal?.aborted ? signal.reason : transportError(error);
    }
  }

  /** Calls in flight are rejected with engine_unavailable. */
  async close(): Promise<void> {
    await Promise.all([this.#generations.destroy(), this.#control.destroy()]);
  }

  #path(name: string): string {
    return `${this.#base.pathname}${name}`;
  }
}

/** Header values are ASCII here: the rest is percent-encoded. */
function headerValue(text: string): string {
  return text.toWellFormed().replace(/[^\x20-\x7e]/gu, encodeURIComponent);
}
