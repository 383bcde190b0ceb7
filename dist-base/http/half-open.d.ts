import type { FastifyReply } from "fastify";
/**
 * Calls `probe` at intervals once the client has closed its side of the connection, until `stop` is called.
 *
 * A client that closed only its own side looks like one that is gone until something is sent to it. If it is gone, its system
 * replies to the first bytes with a reset. The next write then fails.
 *
 * @returns `stop`
 */
export declare function onHalfOpen(reply: FastifyReply, probe: () => void): () => void;
