import type { FastifyRequest } from "fastify";
/** Returns true if the request's path belongs to Google's API, even if no route has it. */
export declare function isGooglePath({ originalUrl }: FastifyRequest): boolean;
