import type { IncomingMessage } from "node:http";
/**
 * Ends the connection of a request that is answered before its body was read, such as one without a key. Node would receive
 * the whole body first, whatever its size.
 */
export declare const earlyAnswer: (app: import("fastify").FastifyInstance<import("fastify").RawServerDefault, IncomingMessage, import("http").ServerResponse<IncomingMessage>, import("fastify").FastifyBaseLogger, import("fastify").FastifyTypeProviderDefault>, _options: Record<never, never>, done: (err?: Error) => void) => void;
