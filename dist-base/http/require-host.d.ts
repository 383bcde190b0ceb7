import type { FastifyReply, FastifyRequest } from "fastify";
/** Refuses requests without a `Host` header, which HTTP/1.1 requires. */
export declare function requireHost({ raw }: FastifyRequest, _reply: FastifyReply, next: (error?: Error) => void): void;
