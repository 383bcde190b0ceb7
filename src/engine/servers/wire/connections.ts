import { Pool } from "undici";
import { native } from "../../../native/addon.js";
import type { AskedValues, ReplyFormat } from "../../../native/contract.js";
import type { AbortSource } from "../../../support/async/abort-source.js";
import { EngineError, type GenerateCall } from "../../engine.js";
import { isBroken, notStarted, transportError } from "./errors.js";
import { ConnectionUse, KeepAliveClient } from "./keep-alive-client.js";
import { type PostOptions, post, type ReplySink } from "./post.js";

/** Below the five seconds after which uvicorn, the engines' web server, closes an idle connection. */
const KEEP_ALIVE_MS = 4_000;
const CONNECT_MS = 10_000;
const CONTROL_MS = 10_000;
/** Descriptions of a server and its flags, the longest replies, have some kilobytes. */
const CONTROL_BYTES = 4 * 1024 * 1024;

/** No time limit for the first or the next byte of a generation. The call's signal has the limit. */
const GENERATE_OPTIONS = {
  headersTimeout: 0,
  bodyTimeout: 0,
  keepAliveTimeout: KEEP_ALIVE_MS,
  connectTimeout: CONNECT_MS,
  pipelining: 1,
} as const;

/** A request as it is sent: the only copy of a call's content. */
export interface EncodedRequest extends RequestBody {
  /** Path below the server's base URL, without a leading slash. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly format: ReplyFormat;
  /** The values of tokens that it asks for. */
  readonly asked: AskedValues;
  /** Maximum number of ids in a sampling mask of the reply. Default 0: it has no masks. */
  readonly maxMaskIds?: number;
}

/** The JSON body of a request. */
export interface RequestBody {
  readonly body: Buffer;
  /** Called when the request succeeded and the operating system has all bytes of the body. Without it, the body's memory is freed then. */
  readonly onSent?: (() => void) | undefined;
}

/** The parts of a call that are sent as headers. The affinity key tells routers which worker has the session. */
type CallHeaders = Pick<GenerateCall, "affinityKey" | "traceHeaders">;

export interface ControlRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** Sent with the admin key, if there is one. */
  readonly admin?: boolean;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** Time limit of the reply; default 10 s. 0: only the signal limits it. */
  readonly timeoutMilliseconds?: number;
}

export interface ServerKeys {
  readonly apiKey?: string | undefined;
  readonly adminApiKey?: string | undefined;
}

/** Connections to one engine server, or to a router. */
export class ServerConnections {
  readonly #base: URL;
  readonly #origin: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #adminHeaders: Readonly<Record<string, string>>;
  readonly #generations: Pool;
  /** Control requests have their own connections: an abort must not wait behind the generations that it stops. */
  readonly #control: Pool;

  /**
   * @param connections maximum number of generations that run at once. Each has its own connection.
   * @param keys `adminApiKey` is the key of the server's control endpoints, if it differs from `apiKey`
   */
  constructor(url: string, connections: number, keys: ServerKeys) {
    this.#base = new URL(url.endsWith("/") ? url : `${url}/`);
    this.#origin = this.#base.origin;
    this.#headers = authorization(keys.apiKey);
    this.#adminHeaders = authorization(keys.adminApiKey ?? keys.apiKey);
    this.#generations = new Pool(this.#origin, {
      ...GENERATE_OPTIONS,
      connections,
      factory: (origin, options) => new KeepAliveClient(origin, options),
    });
    this.#control = new Pool(this.#origin, {
      connections: 4,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectTimeout: CONNECT_MS,
    });
  }

  /**
   * Requests a generation. If a kept-alive connection breaks before the first byte of the reply, the request is sent once
   * more on a new connection. No other generation is sent twice.
   *
   * @param makeSink creates the sink of a reply; called for each request that is sent
   * @returns the sink that took the reply
   * @throws NotStartedError if the server cannot have received the whole request
   */
  async generate<Sink extends ReplySink>(
    request: Omit<EncodedRequest, "format" | "asked">,
    call: CallHeaders,
    makeSink: () => Sink,
    signal: AbortSource,
  ): Promise<Sink> {
    const options = this.#postOptions(request, call);
    const use = new ConnectionUse();
    const sink = makeSink();
    try {
      await post(this.#generations, options, { origin: this.#origin, signal, use, sink });
      freeBody(request, use);
      return sink;
    } catch (error) {
      if (signal.aborted || !use.keptAliveWithoutReply) throw toFailure(error, use, signal);
      return await this.#onFreshConnection(request, options, makeSink(), signal);
    }
  }

  async #onFreshConnection<Sink extends ReplySink>(
    request: Omit<EncodedRequest, "format" | "asked">,
    options: PostOptions,
    sink: Sink,
    signal: AbortSource,
  ): Promise<Sink> {
    const use = new ConnectionUse();
    const client = new KeepAliveClient(this.#origin, GENERATE_OPTIONS);
    try {
      await post(client, options, { origin: this.#origin, signal, use, sink });
      freeBody(request, use);
      return sink;
    } catch (error) {
      throw toFailure(error, use, signal);
    } finally {
      await client.destroy();
    }
  }

  #postOptions(
    { path, body, headers }: Pick<EncodedRequest, "path" | "body" | "headers">,
    { affinityKey, traceHeaders }: CallHeaders,
  ): PostOptions {
    const key = headerValue(affinityKey);
    const own = { "content-type": "application/json", "x-smg-routing-key": key, "x-session-id": key };
    return { path: this.#path(path), headers: { ...own, ...this.#headers, ...traceHeaders, ...headers }, body };
  }

  /**
   * Returns status and body of the reply, whatever the status. If the connection breaks before the reply, the request is sent once
   * more, because the server may have closed the connection when it was idle. Every control request may arrive twice.
   */
  async control(request: ControlRequest): Promise<{ status: number; body: string }> {
    try {
      return await this.#sendControl(request);
    } catch (error) {
      if (request.signal?.aborted || !isBroken(error)) throw error;
      return this.#sendControl(request);
    }
  }

  async #sendControl(request: ControlRequest): Promise<{ status: number; body: string }> {
    const { signal, body, timeoutMilliseconds = CONTROL_MS } = request;
    const key = request.admin ? this.#adminHeaders : this.#headers;
    try {
      const response = await this.#control.request({
        method: request.method,
        path: this.#path(request.path),
        headers: body === undefined ? key : { ...key, "content-type": "application/json" },
        body: body === undefined ? null : JSON.stringify(body),
        signal: signal ?? null,
        headersTimeout: timeoutMilliseconds,
        bodyTimeout: timeoutMilliseconds,
      });
      return { status: response.statusCode, body: await this.#readControl(response.body) };
    } catch (error) {
      throw signal?.aborted ? signal.reason : transportError(error, this.#origin);
    }
  }

  /**
   * Reads the reply to a control request. If it is too long, leaving the loop closes the connection.
   *
   * @throws EngineError `engine_error` if it is too long
   */
  async #readControl(body: AsyncIterable<Buffer>): Promise<string> {
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of body) {
      bytes += piece.byteLength;
      if (bytes > CONTROL_BYTES) {
        const message = `The engine at ${this.#origin} sent more than ${CONTROL_BYTES} bytes in reply to a control request.`;
        throw new EngineError("engine_error", message);
      }
      pieces.push(piece);
    }
    return Buffer.concat(pieces).toString("utf8");
  }

  get(path: string, signal?: AbortSignal): Promise<{ status: number; body: string }> {
    return this.control({ method: "GET", path, signal });
  }

  /** Closes all connections. Requests in flight reject with engine_unavailable. */
  async close(): Promise<void> {
    await Promise.all([this.#generations.destroy(), this.#control.destroy()]);
  }

  #path(name: string): string {
    return `${this.#base.pathname}${name}`;
  }
}

/**
 * Frees or gives back the body of a request that was sent completely. A server may answer earlier: the body is then still being
 * written, and garbage collection frees it later.
 */
function freeBody({ body, onSent = () => native.freeBytes(body) }: RequestBody, { isSent }: ConnectionUse): void {
  if (isSent) onSent();
}

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

function authorization(key: string | undefined): Readonly<Record<string, string>> {
  return key === undefined ? {} : { authorization: `Bearer ${key}` };
}

function toFailure(error: unknown, use: ConnectionUse, signal: AbortSource): unknown {
  if (signal.aborted) return signal.reason;
  return use.mayHaveRun ? error : notStarted(error);
}

/** Returns a text as an ASCII header value; other characters are percent-encoded. */
function headerValue(text: string): string {
  if (PRINTABLE_ASCII.test(text)) return text;
  return text.toWellFormed().replace(/[^\x20-\x7e]/gu, encodeURIComponent);
}
