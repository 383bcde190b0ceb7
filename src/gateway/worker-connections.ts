import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { Agent, type Dispatcher } from "undici";
import { untilAborted } from "../support/async/until-aborted.js";

/** Less than the 72 s after which a worker closes an idle connection. */
const KEEP_ALIVE_MS = 30_000;
/** A machine that is switched off does not refuse connections; they get no answer. */
const CONNECT_TIMEOUT_MS = 5_000;

/** A call to a worker that the gateway makes itself. */
export interface WorkerRequest {
  readonly method?: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: object;
  readonly signal?: AbortSignal;
}

export interface WorkerReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A reply whose body is still arriving. */
export interface WorkerStream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Must be read to its end or destroyed. Fails if the connection breaks before the end. */
  readonly body: Readable;
}

/** The gateway's connections to its workers. Responses have no time limit, because a generation may take any time. */
export class WorkerConnections {
  readonly #agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connect: { timeout: CONNECT_TIMEOUT_MS },
  });

  get dispatcher(): Dispatcher {
    return this.#agent;
  }

  /** Calls a worker and returns its whole reply, whatever the status. Rejects if the worker does not answer. */
  async call(url: string, call: WorkerRequest): Promise<WorkerReply> {
    const reply = await this.#send(url, call);
    return { status: reply.statusCode, headers: reply.headers, body: await readBody(reply) };
  }

  /** Calls a worker and returns its reply when the headers have arrived. The signal also ends the body. */
  async open(url: string, call: WorkerRequest): Promise<WorkerStream> {
    const { statusCode, headers, body } = await this.#send(url, call);
    // Without a listener, an error before the body is read would end the process. The reader gets the error too.
    body.on("error", () => {});
    return { status: statusCode, headers, body };
  }

  async #send(
    url: string,
    { method = "POST", path, headers = {}, body, signal }: WorkerRequest,
  ): Promise<Dispatcher.ResponseData> {
    const answer = this.#agent.request({
      origin: url,
      path,
      method,
      headers: { ...headers, ...(body ? { "content-type": "application/json" } : {}) },
      body: body ? JSON.stringify(body) : null,
      signal: signal ?? null,
    });
    // The agent does not listen to the signal while it opens the connection.
    return untilAborted(answer, signal);
  }

  /** Closes all connections. */
  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

/** Reads the body into one buffer of the announced length: joining chunks would copy large parts of batches once more. */
async function readBody({ headers, body }: Dispatcher.ResponseData): Promise<Buffer> {
  const length = Number(headers["content-length"] ?? Number.NaN);
  if (!Number.isSafeInteger(length)) return Buffer.from(await body.arrayBuffer());
  const bytes = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) at += chunk.copy(bytes, at);
  return bytes;
}
