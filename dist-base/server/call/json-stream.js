import { Readable } from "node:stream";
import { writeJson } from "../../protocols/raw-json.js";
import { turns } from "../../support/async/turns.js";
/** Fastify and `pipe` add six listeners to a response that already has some. Node's default limit before a warning is ten. */
const MAX_LISTENERS = 20;
/** Sends a value as JSON. A long text is sent while it is written, and as fast as the client reads it. */
export function sendJson(reply, value) {
    const json = writeJson(value);
    void reply.type("application/json; charset=utf-8");
    if (typeof json === "string")
        return reply.send(json);
    reply.raw.setMaxListeners(MAX_LISTENERS);
    return reply.send(new JsonStream(json));
}
/** A long JSON text. Each piece is written in a separate iteration of the event loop. */
export class JsonStream extends Readable {
    #pieces;
    /** Memory that the text takes until it is sent, in bytes. */
    memory;
    constructor(json) {
        super();
        this.memory = json.memory;
        this.#pieces = json.pieces();
    }
    /** Node calls this when there is room for the next piece. */
    _read() {
        void turns.next().then(() => this.#pushPiece());
    }
    #pushPiece() {
        if (this.destroyed)
            return;
        try {
            const piece = this.#pieces.next();
            this.push(piece.done ? null : piece.value);
        }
        catch (error) {
            this.destroy(error);
        }
    }
}
//# sourceMappingURL=json-stream.js.map