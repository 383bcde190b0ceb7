import { type Registry } from "prom-client";
declare module "fastify" {
    interface FastifyContextConfig {
        /** Path pattern of a route whose `url` is too general. Metrics and the API description show the pattern. */
        readonly pattern?: string;
    }
}
export interface HttpRequestsOptions {
    readonly register: Registry;
    /** Name of the counter. Gateway and server use different names, because the server counts forwarded requests again. */
    readonly name: string;
}
/**
 * Counts each request when its response was sent or its client disconnected. The labels have few values whatever clients
 * send: `route` is a pattern of the application, never a path. Register this before plugins that refuse requests.
 */
export declare const httpRequests: import("fastify").FastifyPluginCallback<HttpRequestsOptions, import("fastify").RawServerDefault, import("fastify").FastifyTypeProviderDefault, import("fastify").FastifyBaseLogger>;
