import type { Socket } from "node:net";
import { buildConnector, Client, type Dispatcher } from "undici";

/** The connection that a client has at the moment. */
interface Link {
  socket: Socket | undefined;
}

/**
 * A connection that the server had closed is found closed within a round trip. Later, it is a request that was worked on,
 * and lost its server or a load balancer's patience.
 */
const STALE_WITHIN_MS = 5_000;

/**
 * Which connection one request went over, to tell a stale one from a failing server. To be passed as the request's
 * `opaque`.
 */
export class ConnectionUse {
  #link: Link | undefined;
  /** The client's connection when it took the request. It may be over, and another one in its place before long. */
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
  }

  /** The request's last byte was given to the socket. */
  written(): void {
    // What is written behind it is done when the request's bytes are all with the operating system.
    this.#link?.socket?.write("", (error) => {
      if (!error) this.#sent = true;
    });
  }

  /** The request may have reached the server whole, or the server has answered. Before, nothing can have come of it. */
  get mayHaveRun(): boolean {
    const socket = this.#link?.socket;
    const before = socket === this.#before ? this.#bytesBefore : 0;
    return this.#sent || (socket?.bytesRead ?? 0) > before;
  }

  /**
   * The request went over a connection that had served an earlier one, and no byte came back. If it failed just now, the
   * server had most likely closed the idle connection before it saw the request.
   */
  get keptAliveWithoutReply(): boolean {
    const socket = this.#link?.socket;
    if (!this.#wasOpen || !socket || socket !== this.#before) return false;
    if (performance.now() - this.#begunAt > STALE_WITHIN_MS) return false;
    return this.#bytesBefore > 0 && socket.bytesRead === this.#bytesBefore;
  }
}

/** An undici client that tells a request's {@link ConnectionUse} which connection it got. */
export class KeepAliveClient extends Client {
  readonly #link: Link;

  constructor(origin: URL | string, options: Client.Options) {
    const link: Link = { socket: undefined };
    const connect = typeof options.connect === "function" ? options.connect : buildConnector(options.connect ?? {});
    super(origin, {
      ...options,
      connect: (target, callback) =>
        connect(target, (...[error, socket]) => {
          if (error) return callback(error, null);
          link.socket = socket;
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
