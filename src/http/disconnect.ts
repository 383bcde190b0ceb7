import type { Socket } from "node:net";
import type { FastifyReply } from "fastify";
import { ApiError } from "./errors.js";
import { onHalfOpen } from "./half-open.js";

declare module "fastify" {
  interface FastifyReply {
    /** Null until {@link onResponseClose} is called. Fields take less time than WeakMaps, which garbage collection has to follow. */
    responseEnd: ResponseEnd | null;
    /** Null until {@link peerOf} is called. */
    client: Peer | null;
  }
}

/** How a response ended, and who waits for it. */
export class ResponseEnd {
  /** True once the whole response was handed to the connection. */
  #complete = false;
  #ended = false;
  readonly #listeners: ((complete: boolean) => void)[] = [];

  constructor({ raw, request }: FastifyReply) {
    const { socket } = request.raw;
    if (socket.destroyed) {
      this.#ended = true;
      return;
    }
    const onClose = () => {
      socket.off("close", onClose);
      raw.off("close", onClose);
      this.#end();
    };
    // If the connection closes, a response that Node has queued behind another one gets no event, so this listens to the socket too.
    // `on` and not `once`, which would hold another 200 bytes for each event of each open call.
    socket.on("close", onClose);
    raw.on("close", onClose);
    raw.on("finish", () => {
      this.#complete = isIntact(socket);
    });
  }

  listen(listener: (complete: boolean) => void): void {
    if (this.#ended) listener(this.#complete);
    else this.#listeners.push(listener);
  }

  #end(): void {
    // `off` is not enough: Node emits `close` on the response while it emits `close` on the socket. A listener of the socket that is
    // removed in between is still called.
    if (this.#ended) return;
    this.#ended = true;
    for (const listener of this.#listeners) listener(this.#complete);
  }
}

/**
 * Calls `done` once: when the response was sent, or when the client disconnected. It also calls `done` for a response that
 * is queued behind another one, and for a client that disconnected before there was a response.
 *
 * @param done receives true if the whole response was handed to the connection
 */
export function onResponseClose(reply: FastifyReply, done: (complete: boolean) => void): void {
  reply.responseEnd ??= new ResponseEnd(reply);
  reply.responseEnd.listen(done);
}

/** The client of a request, which may disconnect before the response was sent. */
export class Peer {
  #goneReason: ApiError | undefined;
  readonly #listeners: ((reason: ApiError) => void)[] = [];

  /**
   * A client that closed its side may still read. To find out, the server sends it `100 Continue` until the response begins. Every
   * client has to ignore that. If the client is gone, its system answers with a reset. Clients of HTTP/1.0 do not know `100
   * Continue`, so a closed side counts as a disconnect for them.
   */
  constructor(reply: FastifyReply) {
    const { raw } = reply;
    const { socket, httpVersion } = reply.request.raw;
    const stopProbing = onHalfOpen(reply, () => {
      if (httpVersion === "1.0") socket.destroy();
      else if (!raw.headersSent) raw.writeContinue();
    });
    onResponseClose(reply, (complete) => {
      stopProbing();
      if (!complete) this.#disconnect();
    });
  }

  /** The error with which the client's request ends. Undefined while the client is connected. */
  get goneReason(): ApiError | undefined {
    return this.#goneReason;
  }

  /** Calls `listener` when the client disconnects, and immediately if it has. */
  onGone(listener: (reason: ApiError) => void): void {
    if (this.#goneReason) listener(this.#goneReason);
    else this.#listeners.push(listener);
  }

  #disconnect(): void {
    const reason = new ApiError("call_aborted", "The client closed its connection.");
    this.#goneReason = reason;
    for (const listener of this.#listeners) listener(reason);
  }
}

/** Returns the client of a response. All callers share it. */
export function peerOf(reply: FastifyReply): Peer {
  reply.client ??= new Peer(reply);
  return reply.client;
}

/** Returns a signal that aborts if the client disconnects before the response was sent. */
export function disconnectSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  peerOf(reply).onGone((reason) => controller.abort(reason));
  return controller.signal;
}

/**
 * Returns true if bytes that Node reports as written reached the operating system. When a connection breaks, Node discards
 * pending bytes, but still emits `finish` and calls the write callbacks without an error.
 */
export function isIntact(socket: Socket): boolean {
  return !socket.destroyed && !socket.errored;
}
