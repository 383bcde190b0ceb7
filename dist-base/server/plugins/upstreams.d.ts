import type { ServerContext } from "../context.js";
import { type UpstreamEndpoint } from "../upstreams/upstream-request.js";
import type { UpstreamRules } from "../upstreams/upstream-rules.js";
declare module "fastify" {
    interface FastifyContextConfig {
        /** Returns the model that the path names. Calls for models of `upstreams` are refused: none of them has such paths. */
        readonly readPathModel?: (request: FastifyRequest) => string;
        /** The same endpoint of an upstream. Calls of the route for models of `upstreams` are forwarded to it. */
        readonly upstream?: UpstreamEndpoint;
    }
}
export interface UpstreamsOptions {
    readonly context: ServerContext;
    readonly rules: UpstreamRules;
}
/**
 * Forwards calls for models of `upstreams`, or refuses them. Their bodies are not checked against the schemas of the routes, because
 * the upstream's API may have more fields. Register this plugin after those that check keys and admit calls.
 */
export declare const upstreamsPlugin: import("fastify").FastifyPluginCallback<UpstreamsOptions, import("fastify").RawServerDefault, import("fastify").FastifyTypeProviderDefault, import("fastify").FastifyBaseLogger>;
