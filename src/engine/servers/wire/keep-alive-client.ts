import type { Socket } from "node:net";
import { buildConnector, Client, type Dispatcher } from "undici";
import { EngineError } from "../../engine.js";

/** The current connection of a client, and what came through it for the current request. */
interface Link {
  socket: Socket | undefined;
  /** All bytes that the connection had received before the request. */
  bytesBefore: number;
  /** Bytes of the reply's body. */
  bodyBytes: number;
}

/** Bytes that are not part of a body: the status line, headers, and the sizes and extensions of chunks. No engine comes near it. */
const FRAMING_BYTES = 1 << 20;

/** The largest number of such bytes for each byte of a body. A chunk of one byte has five others. */
const FRAMING_PER_BYTE = 16;

/** Closes a connection that receives too many bytes which HTTP's parser skips, so that nobody else counts them. */
function limitFraming(link: Link, socket: Socket): void {
  socket.on("readable", () => {
    const framing = socket.bytesRead - link.bytesBefore - link.bodyBytes;
    if (link.socket !== socket || framing <= FRAMING_BYTES + FRAMING_PER_BYTE * link.bodyBytes) return;
    const message = `The engine's reply is too long: it has ${framing} bytes beside its body.`;
    socket.destroy(new EngineError("engine_error", message));
  });
}

/**
 * If the server had already closed a connection, the failure shows within a round trip. A later failure means that the
 * server was working on the request and died, or that a load balancer timed out.
 */
const STALE_WITHIN_MS = 5_000;

/**
 * Observes the connection of one request, to tell a stale connection from a failing server. Pass it as the request's
 * `opaque`.
 */
export class ConnectionUse {
  #link: Link | undefined;
  /** The client's connection when it took the request. The client may replace it before it sends the request. */
  #before: Socket | undefined;
  #wasOpen = false;
  #bytesBefore = 0;
  #begunAt = 0;
  #sent = false;

  begin(link: Link): void {
    this.#link = link;
    this.#sent = false;
    this.#begunAt = performance.now();
    this.#before = link.socket;
    this.#wasOpen = link.socket?.destroyed === false;
    this.#bytesBefore = link.socket?.bytesRead ?? 0;
    link.bytesBefore = this.#bytesBefore;
    link.bodyBytes = 0;
  }

  /** Called for each piece of the reply's body. */
  received(bytes: number): void {
    if (this.#link) this.#link.bodyBytes += bytes;
  }

  /** Called when the request's last byte was given to the socket. */
  written(): void {
    const socket = this.#link?.socket;
    // Usually the operating system has taken all bytes of the request by now. A socket that broke has dropped them.
    if (socket?.writableLength === 0) {
      this.#sent = !socket.destroyed && !socket.errored;
      return;
    }
    // This empty write completes after it has taken the rest.
    socket?.write("", (error) => {
      if (!error) this.#sent = true;
    });
  }

  /** True once the operating system has taken all bytes of the request. Nothing reads its body any more. */
  get isSent(): boolean {
    return this.#sent;
  }

  /** The server may have received the whole request, or has answered. If false, the request cannot have had an effect. */
  get mayHaveRun(): boolean {
    const socket = this.#link?.socket;
    const before = socket === this.#before ? this.#bytesBefore : 0;
    return this.#sent || (socket?.bytesRead ?? 0) > before;
  }

  /**
   * The request used a connection that had served an earlier request, and got no byte back. If it failed within a round
   * trip, the server had most likely closed the idle connection before it saw the request.
   */
  get keptAliveWithoutReply(): boolean {
    const socket = this.#link?.socket;
    if (!this.#wasOpen || !socket || socket !== this.#before) return false;
    if (performance.now() - this.#begunAt > STALE_WITHIN_MS) return false;
    return this.#bytesBefore > 0 && socket.bytesRead === this.#bytesBefore;
  }
}

/** An undici client that reports to each request's {@link ConnectionUse} which connection it uses. */
export class KeepAliveClient extends Client {
  readonly #link: Link;

  constructor(origin: URL | string, options: Client.Options) {
    const link: Link = { socket: undefined, bytesBefore: 0, bodyBytes: 0 };
    const connect = typeof options.connect === "function" ? options.connect : buildConnector(options.connect ?? {});
    super(origin, {
      ...options,
      connect: (target, callback) =>
        connect(target, (...[error, socket]) => {
          if (error) return callback(error, null);
          Object.assign(link, { socket, bytesBefore: 0, bodyBytes: 0 });
          limitFraming(link, socket);
          callback(null, socket);
        }),
    });
    this.#link = link;
  }

  override dispatch(
    options: Dispatcher.DispatchOptions & { readonly opaque?: unknown },
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    if (options.opaque instanceof ConnectionUse) options.opaque.begin(this.#link);
    return super.dispatch(options, handler);
  }
}
