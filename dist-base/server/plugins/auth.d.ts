import type { FastifyRequest } from "fastify";
import type { Session } from "../../session/session.js";
import type { SessionRegistry } from "../../session/session-registry.js";
/** The kind of key that a route requires. */
export type KeyKind = "admin" | "session" | "any" | "none";
declare module "fastify" {
    interface FastifyContextConfig {
        readonly key?: KeyKind;
    }
    interface FastifyRequest {
        /** The session of the request's key; null if the route requires no session key. */
        session: Session | null;
    }
}
export interface AuthOptions {
    readonly registry: SessionRegistry;
    readonly adminKey: string;
}
/** Checks the keys of requests to routes that require one, before the body is read. */
export declare const auth: import("fastify").FastifyPluginCallback<AuthOptions, import("fastify").RawServerDefault, import("fastify").FastifyTypeProviderDefault, import("fastify").FastifyBaseLogger>;
export declare function requiredKey({ config }: FastifyRequest["routeOptions"]): KeyKind;
/** Returns the session of a request to a route that requires a session key. */
export declare function requireSession(request: FastifyRequest): Session;
