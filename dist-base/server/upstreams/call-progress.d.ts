import type { FastifyReply } from "fastify";
import type { Dispatcher } from "undici";
import type { UpstreamOutcome } from "../metrics/upstream-metrics.js";
/** A call to an upstream, from its start until its answer is sent. */
export declare class CallProgress {
    #private;
    /** The outcome if the client receives the whole answer. */
    outcome: UpstreamOutcome;
    /** @param done called once, when the answer is sent or the client has disconnected */
    constructor(reply: FastifyReply, shutdown: AbortSignal, done: (outcome: UpstreamOutcome) => void);
    /** Aborts when the client disconnects, or when the server stops waiting for calls. */
    get signal(): AbortSignal;
    /** Streams the upstream's answer to the client, as fast as the client reads it. */
    sendOn({ statusCode, headers, body }: Dispatcher.ResponseData): void;
}
