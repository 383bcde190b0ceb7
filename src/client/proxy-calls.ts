import { Readable } from "node:stream";
import { z } from "zod";
import { Deadline } from "../support/async/deadline.js";
import { sleep } from "../support/async/sleep.js";
import type { HttpReply, HttpRequest, HttpStream } from "./connection-pool.js";
import { ProxyError } from "./errors.js";
import type { Transport } from "./transport.js";

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Seconds until the call, with its repetitions, fails with `request_timed_out`. Default 60. */
  readonly timeoutSeconds?: number | undefined;
  /** Headers of the call's trace: `traceparent` and `tracestate`. */
  readonly traceHeaders?: Readonly<Record<string, string>> | undefined;
}

export interface ProxyCall extends CallOptions {
  readonly method?: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly body?: object | undefined;
  /** Repeating the call has no further effect, so it is sent again if the connection breaks. */
  readonly idempotent: boolean;
  /** Send the call again if a gateway cannot reach a worker. Only for calls that have an effect on several workers. */
  readonly repeatIfUnavailable?: boolean;
}

/** A gateway waits 30 s for a worker that left, by default. Its answer must come before the client gives up. */
const DEFAULT_TIMEOUT_SECONDS = 60;
/** Pauses before an idempotent call is sent again. */
const PAUSES_MS = [50, 250, 1000] as const;
/**
 * Pauses before a call is sent again because a worker is unavailable. With four answers of a gateway, they take less than 30 s, or
 * less than 60 s if the gateway also waits for the worker to come back.
 */
const UNAVAILABLE_PAUSES_MS = [500, 1500, 5000] as const;

const errorBody = z.object({
  error: z.looseObject({
    message: z.string(),
    code: z.string(),
    param: z.string().nullish(),
    type: z.string().optional(),
  }),
});

/** Sends calls with one key. Requests are JSON, answers JSON or bytes. Errors become a {@link ProxyError}. */
export class ProxyCalls {
  readonly #transport: Transport;
  readonly #headers: Readonly<Record<string, string>>;

  /** @param xSessionId the `X-Session-ID` of a session, if the key is that of a run */
  constructor(transport: Transport, key: string, xSessionId?: string) {
    this.#transport = transport;
    this.#headers = {
      authorization: `Bearer ${key}`,
      ...(xSessionId === undefined ? {} : { "x-session-id": xSessionId }),
    };
  }

  async json<Schema extends z.ZodType>(call: ProxyCall, reply: Schema): Promise<z.output<Schema>> {
    const bytes = await this.bytes(call);
    const parsed = reply.safeParse(parseJson(bytes));
    if (parsed.success) return parsed.data;
    const message = `${call.path} gave an answer that cannot come from a proxy: ${z.prettifyError(parsed.error)}`;
    throw new ProxyError("invalid_reply", message, { cause: parsed.error });
  }

  async bytes(call: ProxyCall): Promise<Uint8Array> {
    return (await this.reply(call)).body;
  }

  /** Returns the whole answer of a call that succeeded. */
  reply(call: ProxyCall): Promise<HttpReply> {
    return this.#run(call, async (request) => {
      const reply = await this.#transport.send(call.path, request);
      return reply.status < 300 ? { value: reply } : { refusal: reply };
    });
  }

  /**
   * Hands over the answer of a call that succeeded while it arrives. If `receive` rejects, the connection counts as broken: an
   * idempotent call is sent again, and `receive` is called with the next answer.
   */
  receive<T>(call: ProxyCall, receive: (reply: HttpStream) => Promise<T>): Promise<T> {
    return this.#run(call, async (request) => {
      const reply = await this.#open(call.path, request);
      try {
        if (reply.status < 300) return { value: await receive(reply) };
        return { refusal: { status: reply.status, body: await readAll(reply.body) } };
      } finally {
        reply.body.destroy();
      }
    });
  }

  async #open(path: string, request: HttpRequest): Promise<HttpStream> {
    if (this.#transport.open) return this.#transport.open(path, request);
    const { body, ...reply } = await this.#transport.send(path, request);
    return { ...reply, body: Readable.from([body], { objectMode: false }) };
  }

  /** Sends a call until it is answered, within its time. */
  async #run<T>(call: ProxyCall, send: Send<T>): Promise<T> {
    const seconds = call.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS;
    const expired = () => new ProxyError("request_timed_out", `${call.path} did not answer within ${seconds} seconds.`);
    using deadline = new Deadline(call.signal, seconds, expired);
    for (const pause of call.repeatIfUnavailable ? UNAVAILABLE_PAUSES_MS : []) {
      try {
        return await this.#runOnce(call, deadline.signal, send);
      } catch (error) {
        if (!(error instanceof ProxyError) || error.code !== "worker_unavailable") throw error;
        await sleep(pause, deadline.signal);
      }
    }
    return await this.#runOnce(call, deadline.signal, send);
  }

  async #runOnce<T>(call: ProxyCall, signal: AbortSignal, send: Send<T>): Promise<T> {
    const answer = await this.#sendRepeatedly(call, signal, send);
    if ("value" in answer) return answer.value;
    throw toProxyError(call.path, answer.refusal.status, answer.refusal.body);
  }

  async #sendRepeatedly<T>(call: ProxyCall, signal: AbortSignal, send: Send<T>): Promise<Answer<T>> {
    const request = this.#toRequest(call, signal);
    for (const pause of call.idempotent ? PAUSES_MS : []) {
      try {
        return await send(request);
      } catch (error) {
        signal.throwIfAborted();
        // The receiver of an answer refused it. The next answer would be the same.
        if (error instanceof ProxyError) throw error;
        await sleep(pause, signal);
      }
    }
    try {
      return await send(request);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ProxyError) throw error;
      const why = error instanceof Error ? error.message : String(error);
      throw new ProxyError("connection_failed", `${call.path} got no answer: ${why}`, { cause: error });
    }
  }

  #toRequest({ method = "POST", body, traceHeaders }: ProxyCall, signal: AbortSignal): HttpRequest {
    const own = { ...this.#headers, ...traceHeaders };
    if (method !== "POST") return { method, headers: own, signal };
    const headers = { ...own, "content-type": "application/json" };
    return { method, headers, body: JSON.stringify(body ?? {}), signal };
  }
}

/** The answer to a call, or the proxy's refusal. Neither is a reason to send it again. */
type Answer<T> = { readonly value: T } | { readonly refusal: Pick<HttpReply, "status" | "body"> };
type Send<T> = (request: HttpRequest) => Promise<Answer<T>>;

async function readAll(chunks: Readable): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk as Uint8Array);
  return Buffer.concat(all);
}

function toProxyError(path: string, status: number, bytes: Uint8Array): ProxyError {
  const parsed = errorBody.safeParse(parseJson(bytes));
  if (!parsed.success)
    return new ProxyError("invalid_reply", `${path} answered ${status} without a proxy's error body.`, { status });
  const { message, code, param, type: _, ...details } = parsed.data.error;
  return new ProxyError(code, message, { status, param: param ?? undefined, details });
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
  } catch {
    return undefined;
  }
}
