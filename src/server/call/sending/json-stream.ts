import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import type { LongJson } from "../../../protocols/long-json.js";
import { writeJson } from "../../../protocols/raw-json.js";
import { eventLoop } from "../../../support/async/event-loop.js";

/** Fastify and `pipe` add six listeners to a response that already has some. Node's default limit before a warning is ten. */
const MAX_LISTENERS = 20;

/** Sends a value as JSON. A long text is sent while it is written, and as fast as the client reads it. */
export function sendJson(reply: FastifyReply, value: object): FastifyReply {
  const json = writeJson(value);
  void reply.type("application/json; charset=utf-8");
  if (typeof json === "string") return reply.send(json);
  reply.raw.setMaxListeners(MAX_LISTENERS);
  return reply.send(new JsonStream(json));
}

/** A long JSON text. Each piece is written in a separate iteration of the event loop. */
export class JsonStream extends Readable {
  readonly #pieces: Iterator<string, void, void>;
  /** Memory that the text takes until it is sent, in bytes. */
  readonly memory: number;

  constructor(json: LongJson) {
    super();
    this.memory = json.memory;
    this.#pieces = json.pieces();
  }

  /** Node calls this when there is room for the next piece. */
  override _read(): void {
    void eventLoop.yield().then(() => this.#pushPiece());
  }

  #pushPiece(): void {
    if (this.destroyed) return;
    try {
      const piece = this.#pieces.next();
      this.push(piece.done ? null : piece.value);
    } catch (error) {
      this.destroy(error as Error);
    }
  }
}
