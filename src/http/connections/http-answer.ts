import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyReply {
    /** The answer as its connection knows it; null if the request was injected. */
    answer: HttpAnswer | null;
  }
}

/** An answer that was cut because the server stopped or its client did not read it. */
export interface CutAnswer {
  /** Method and route. */
  readonly route: string;
  /** Bytes that the operating system has accepted, headers included. */
  readonly bytesSent: number;
  /** Size of the body; null if the answer is a stream. */
  readonly bytes: number | null;
  /** Sessions that the answer exports. Empty if it is no export. */
  readonly sessions: readonly string[];
}

const MAX_LOGGED = 20;

/** Returns the first cut answers in the form for the log. */
export function listCut(answers: readonly CutAnswer[]): object[] {
  return answers.slice(0, MAX_LOGGED).map(({ sessions, ...answer }) => ({ ...answer, sessions: sessions.length }));
}

/** The answer to a request that was received. It is open until it is sent or its client disconnects. */
export class HttpAnswer {
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #socket: Socket;
  /** Bytes of earlier answers on the same connection. */
  readonly #startedAt: number;
  sessions: readonly string[] = [];

  constructor(request: FastifyRequest, reply: FastifyReply) {
    this.#request = request;
    this.#reply = reply;
    this.#socket = request.raw.socket;
    this.#startedAt = countAccepted(this.#socket);
    reply.answer = this;
  }

  get requestComplete(): boolean {
    return this.#request.raw.complete;
  }

  /**
   * True if no further request of the connection can be read. Node handles a request to upgrade the connection like any other, but
   * its parser drops the bytes that came together with it.
   */
  get isLast(): boolean {
    const { upgrade, connection } = this.#request.raw.headers;
    return upgrade !== undefined && connection !== undefined && /\bupgrade\b/i.test(connection);
  }

  /** Calls `done` when the request was received completely. */
  onReceived(done: () => void): void {
    const { raw } = this.#request;
    // Node marks a request without a body as complete only after its headers were handled.
    if (raw.complete || !hasBody(raw)) done();
    else raw.once("end", done);
  }

  /** Closes the connection after this answer, and tells the client so if its headers were not sent yet. */
  closeAfter(): void {
    this.#reply.raw.shouldKeepAlive = false;
  }

  describe(): CutAnswer {
    const { method, routeOptions } = this.#request;
    const length = Number(this.#reply.getHeader("content-length") ?? Number.NaN);
    return {
      route: `${method} ${routeOptions.config.pattern ?? routeOptions.url ?? "unmatched"}`,
      bytesSent: countAccepted(this.#socket) - this.#startedAt,
      bytes: Number.isNaN(length) ? null : length,
      sessions: this.sessions,
    };
  }
}

/** Records which sessions an answer exports, for the log of cut answers. */
export function noteExport({ answer }: FastifyReply, sessions: readonly string[]): void {
  if (answer) answer.sessions = sessions;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

interface StreamHandle {
  readonly bytesWritten?: number;
  readonly writeQueueSize?: number;
}

/**
 * Returns how many bytes of a connection the operating system has accepted. Node's public `writableLength` counts a large
 * buffer as unsent until its last byte was accepted, so a client that reads a large export slowly would look as if it read nothing.
 * The exact number is in the handle, which is not public.
 */
export function countAccepted(socket: Socket): number {
  const { _handle: handle } = socket as { readonly _handle?: StreamHandle | null };
  if (handle?.bytesWritten === undefined) return socket.bytesWritten - socket.writableLength;
  return handle.bytesWritten - (handle.writeQueueSize ?? 0);
}
