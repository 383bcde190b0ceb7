import type { IncomingHttpHeaders } from "node:http";
import { Agent, type Dispatcher } from "undici";

/** Below the 72 seconds after which a worker closes an idle connection. */
const KEEP_ALIVE_MS = 30_000;
/** A machine that is gone does not refuse: it says nothing. */
const CONNECT_TIMEOUT_MS = 5_000;

/** A call to a worker that the gateway makes itself. */
export interface UpstreamCall {
  readonly method?: "GET" | "POST";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: object;
  readonly signal?: AbortSignal;
}

export interface UpstreamReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The gateway's connections to its workers. A generation takes as long as it takes. */
export class Upstream {
  readonly #agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connect: { timeout: CONNECT_TIMEOUT_MS },
  });

  get dispatcher(): Dispatcher {
    return this.#agent;
  }

  /** One call and its whole answer. Rejects where there is none. */
  async call(url: string, { method = "POST", path, headers = {}, body, signal }: UpstreamCall): Promise<UpstreamReply> {
    const reply = await this.#agent.request({
      origin: url,
      path,
      method,
      headers: { ...headers, ...(body ? { "content-type": "application/json" } : {}) },
      body: body ? JSON.stringify(body) : null,
      signal: signal ?? null,
    });
    return { status: reply.statusCode, headers: reply.headers, body: await readBody(reply) };
  }

  /** Ends every connection. */
  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

/** Into one buffer of the length that was announced: parts of batches are large. */
async function readBody({ headers, body }: Dispatcher.ResponseData): Promise<Buffer> {
  const length = Number(headers["content-length"] ?? Number.NaN);
  if (!Number.isSafeInteger(length)) return Buffer.from(await body.arrayBuffer());
  const bytes = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) at += chunk.copy(bytes, at);
  return bytes;
}
