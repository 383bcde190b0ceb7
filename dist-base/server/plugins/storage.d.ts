import type { SessionRegistry } from "../../session/session-registry.js";
import type { ServerStorage } from "../storage/server-storage.js";
declare module "fastify" {
    interface FastifyContextConfig {
        /** True if the route works while the disk refuses writes, such as an export. */
        readonly worksWithoutDisk?: boolean;
    }
}
export interface StorageOptions {
    readonly registry: SessionRegistry;
    readonly server: ServerStorage;
}
/**
 * Sends the answer of a request that changes something only once the change is on disk. Refuses such requests while the disk refuses
 * writes. Reads the session's data from disk before the route runs, and frees memory of idle sessions after the response.
 *
 * Register this after the plugin that checks keys.
 */
export declare const storagePlugin: import("fastify").FastifyPluginCallback<StorageOptions, import("fastify").RawServerDefault, import("fastify").FastifyTypeProviderDefault, import("fastify").FastifyBaseLogger>;
