import { type Readable } from "node:stream";
import type { FastifyReply } from "fastify";
/**
 * Returns an upstream's event stream for the client. If the client closes its side of the connection, comments are sent to it. If the
 * client is gone, such a write fails, and the call is aborted even if the upstream sends nothing for a long time.
 *
 * @returns the stream, and a function that must be called when the response is closed
 */
export declare function probeClient(events: Readable, reply: FastifyReply): {
    readonly stream: Readable;
    readonly stop: () => void;
};
