/**
 * Logs one line per request when its answer was sent or its client disconnected. The line has no headers, no bodies and no query,
 * because a query may contain a key.
 */
export declare const accessLog: (app: import("fastify").FastifyInstance<import("fastify").RawServerDefault, import("http").IncomingMessage, import("http").ServerResponse<import("http").IncomingMessage>, import("fastify").FastifyBaseLogger, import("fastify").FastifyTypeProviderDefault>, _options: Record<never, never>, done: (err?: Error) => void) => void;
