declare module "fastify" {
    interface FastifyContextConfig {
        /** The gateway or the controller answers the route without a key. */
        readonly public?: boolean;
    }
}
export interface AdminAuthOptions {
    /** Undefined: the workers check the key, after the gateway has read the body. */
    readonly adminKey: string | undefined;
}
/** Checks the admin key of control calls before their bodies are read. All processes of a service have the same admin key. */
export declare const adminAuth: import("fastify").FastifyPluginCallback<AdminAuthOptions, import("fastify").RawServerDefault, import("fastify").FastifyTypeProviderDefault, import("fastify").FastifyBaseLogger>;
