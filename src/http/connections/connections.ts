import { Server, Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { endAndLinger } from "../linger.js";
import { Connection } from "./connection.js";
import { ConnectionLimit } from "./connection-limit.js";
import type { CutAnswer } from "./http-answer.js";

/**
 * Time in which an idle connection still accepts requests after its timeout. When a suspended process goes on, the timeout comes
 * before the process has read what its clients sent meanwhile.
 */
const IDLE_SPARE_MS = 1000;

declare module "fastify" {
  interface FastifyInstance {
    connections: Connections;
  }
}

export interface ConnectionsOptions {
  /** Maximum number of open connections. */
  readonly maxConnections: number;
  /** Returns true if the request's route is only for clients with a key. */
  readonly needsKey: (request: FastifyRequest) => boolean;
}

/** The connections of a server on which a request was received, and their open answers. */
export class Connections {
  readonly #server: Server;
  /** Servers that pass their connections to it. */
  readonly #otherServers: Server[] = [];
  readonly #options: ConnectionsOptions;
  /** Counts all open connections, also those without a request. */
  readonly limit: ConnectionLimit;
  readonly #bySocket = new Map<Socket, Connection>();
  #closing = false;

  constructor(server: Server, options: ConnectionsOptions) {
    this.#server = server;
    this.#options = options;
    this.limit = new ConnectionLimit(options.maxConnections);
    // Connections inside this process have no sockets.
    server.on("connection", (socket) => socket instanceof Socket && this.limit.add(socket));
    // Without a listener, Node closes a connection at once when its idle time is over.
    server.on("timeout", closeIfIdle);
  }

  get size(): number {
    return this.#bySocket.size;
  }

  /** Number of requests whose answers were not sent yet. */
  get openAnswers(): number {
    let count = 0;
    for (const { openAnswer } of this.#bySocket.values()) if (openAnswer) count++;
    return count;
  }

  /** Calls `start`, unless the request cannot be answered. */
  accept(request: FastifyRequest, reply: FastifyReply, start: () => void): void {
    const { socket } = request.raw;
    // Requests that were injected have no socket of their own.
    if (!(socket instanceof Socket)) return start();
    this.#find(socket).accept(request, reply, this.#options.needsKey(request), start);
  }

  /** Sends an error about bytes that are no valid request, and closes the connection. An answer in progress is sent instead. */
  endWith(socket: Socket, text: string): void {
    const connection = this.#bySocket.get(socket);
    if (connection) connection.endWith(text);
    else endAndLinger(socket, text);
  }

  /** Adds a server that passes its connections to the HTTP server, and closes it together with that server. */
  addServer(server: Server): void {
    this.#otherServers.push(server);
    this.#server.once("close", () => this.#closeOthers());
  }

  /**
   * Stops accepting connections. `http.Server.close` would also close connections whose last answer is still in the socket's
   * buffer.
   */
  stopListening(): void {
    if (this.#server.listening) Server.prototype.close.call(this.#server);
    this.#closeOthers();
  }

  /** Closes idle connections now, and every other connection after its answer in progress. */
  closeSoon(): void {
    this.#closing = true;
    for (const connection of this.#bySocket.values()) connection.closeSoon();
  }

  /** Closes every connection with an open answer, and returns these answers. */
  cut(): CutAnswer[] {
    const cut: CutAnswer[] = [];
    for (const [socket, { openAnswer }] of this.#bySocket) {
      if (!openAnswer) continue;
      cut.push(openAnswer.describe());
      socket.destroy();
    }
    return cut;
  }

  /**
   * Closes every connection whose client stopped reading its answer this long ago. Returns the answers that were cut, one for each
   * connection. Call this at short intervals.
   */
  cutUnread(milliseconds: number): CutAnswer[] {
    const now = performance.now();
    const cut: CutAnswer[] = [];
    for (const [socket, connection] of this.#bySocket) {
      const answer = connection.findUnread(milliseconds, now);
      if (!answer) continue;
      cut.push(answer.describe());
      socket.destroy();
    }
    return cut;
  }

  /** Closes all connections now. */
  destroy(): void {
    for (const socket of this.#bySocket.keys()) socket.destroy();
  }

  #closeOthers(): void {
    for (const server of this.#otherServers.splice(0)) server.close();
  }

  #find(socket: Socket): Connection {
    const known = this.#bySocket.get(socket);
    if (known) return known;
    const connection = new Connection(socket, this.limit, this.#closing);
    this.#bySocket.set(socket, connection);
    socket.on("close", () => void this.#bySocket.delete(socket));
    return connection;
  }
}

/** Closes a connection unless it receives something within a short time. */
function closeIfIdle(socket: Socket): void {
  const { bytesRead } = socket;
  const timer = setTimeout(() => {
    if (socket.bytesRead === bytesRead) socket.destroy();
  }, IDLE_SPARE_MS);
  socket.once("close", () => clearTimeout(timer));
}
