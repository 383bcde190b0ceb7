import { Server, Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { endAndLinger } from "../linger.js";
import { Answer, type CutAnswer } from "./answer.js";
import { Connection } from "./connection.js";

declare module "fastify" {
  interface FastifyInstance {
    connections: Connections;
  }
}

/** The connections of a server on which a request was received, and their open answers. */
export class Connections {
  readonly #server: Server;
  readonly #maxWaiting: number;
  readonly #bySocket = new Map<Socket, Connection>();
  #closing = false;

  /** @param maxWaiting how many requests of one connection may wait for the answers before them */
  constructor(server: Server, maxWaiting: number) {
    this.#server = server;
    this.#maxWaiting = maxWaiting;
  }

  get size(): number {
    return this.#bySocket.size;
  }

  /** Number of requests whose answers were not sent yet. */
  get openAnswers(): number {
    let count = 0;
    for (const connection of this.#bySocket.values()) count += connection.openAnswers.length;
    return count;
  }

  /** Calls `start` when it is the request's turn on its connection. Never calls it if the connection closes first. */
  accept(request: FastifyRequest, reply: FastifyReply, start: () => void): void {
    const { socket } = request.raw;
    // Requests that were injected have no socket of their own.
    if (socket instanceof Socket) this.#find(socket).accept(new Answer(request, reply), start);
    else start();
  }

  /** Sends a text after the answers to earlier requests, and closes the connection. */
  endWith(socket: Socket, text: string): void {
    const connection = this.#bySocket.get(socket);
    if (connection) connection.endWith(text);
    else endAndLinger(socket, text);
  }

  /**
   * Stops accepting connections. `http.Server.close` would also close connections whose last answer is still in the socket's
   * buffer.
   */
  stopListening(): void {
    if (this.#server.listening) Server.prototype.close.call(this.#server);
  }

  /** Closes idle connections now, and every other connection after its answer in progress. */
  closeSoon(): void {
    this.#closing = true;
    for (const connection of this.#bySocket.values()) connection.closeSoon();
  }

  /** Closes every connection with an open answer, and returns these answers. */
  cut(): CutAnswer[] {
    const cut: CutAnswer[] = [];
    for (const [socket, { openAnswers }] of this.#bySocket) {
      if (openAnswers.length === 0) continue;
      cut.push(...openAnswers.map((answer) => answer.describe()));
      socket.destroy();
    }
    return cut;
  }

  /** Closes all connections now. */
  destroy(): void {
    for (const socket of this.#bySocket.keys()) socket.destroy();
  }

  #find(socket: Socket): Connection {
    const known = this.#bySocket.get(socket);
    if (known) return known;
    const connection = new Connection(socket, this.#maxWaiting, this.#closing);
    this.#bySocket.set(socket, connection);
    socket.once("close", () => this.#bySocket.delete(socket));
    return connection;
  }
}
