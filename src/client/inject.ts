import { Readable } from "node:stream";
import type { FastifyInstance, InjectOptions } from "fastify";
import type { HttpReply, HttpRequest } from "./connection-pool.js";
import type { Transport } from "./transport.js";

/** The application of a proxy in this process, as `createServer` makes it. */
export type ProxyApplication = Pick<FastifyInstance, "inject">;

type Method = NonNullable<InjectOptions["method"]>;

/** A proxy in this process, reached without a socket. */
export class InjectTransport implements Transport {
  readonly #app: ProxyApplication;

  constructor(app: ProxyApplication) {
    this.#app = app;
  }

  async send(path: string, { method, headers, body, signal }: HttpRequest): Promise<HttpReply> {
    const payload = body === undefined ? {} : { payload: body };
    const reply = await this.#app.inject({ method: method as Method, url: path, headers, signal, ...payload });
    return { status: reply.statusCode, body: reply.rawPayload };
  }
}

/** `fetch` for clients of a proxy in this process. Answers come as a stream; the host in the URL means nothing. */
export function injectFetch(app: ProxyApplication): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    const reply = await app.inject({
      method: request.method as Method,
      url: pathname + search,
      headers: Object.fromEntries(request.headers),
      payload: Buffer.from(await request.arrayBuffer()),
      signal: request.signal,
      payloadAsStream: true,
    });
    const body = Readable.toWeb(reply.stream()) as ReadableStream<Uint8Array>;
    return new Response(body, { status: reply.statusCode, headers: toHeaders(reply.headers) });
  };
}

function toHeaders(fields: Readonly<Record<string, number | string | readonly string[] | undefined>>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) headers.set(name, String(value));
  }
  return headers;
}
