import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import type { LongJson } from "../../protocols/long-json.js";
/** Sends a value as JSON. A long text is sent while it is written, and as fast as the client reads it. */
export declare function sendJson(reply: FastifyReply, value: object): FastifyReply;
/** A long JSON text. Each piece is written in a separate iteration of the event loop. */
export declare class JsonStream extends Readable {
    #private;
    /** Memory that the text takes until it is sent, in bytes. */
    readonly memory: number;
    constructor(json: LongJson);
    /** Node calls this when there is room for the next piece. */
    _read(): void;
}
