import type { Config } from "./schema/sections.js";
/** Model names whose calls are refused. A name may have one `*`, which stands for any characters. */
export interface RefusedModels {
    readonly models: readonly string[];
    readonly refuse: true;
}
/** Model names whose calls another server answers. */
export interface Upstream {
    readonly models: readonly string[];
    readonly refuse: false;
    readonly url: string;
    readonly apiKey: string | undefined;
    /** Model name that is sent to the upstream. Undefined: the requested name. */
    readonly model: string | undefined;
    readonly timeoutSeconds: number;
}
export type UpstreamRule = RefusedModels | Upstream;
/**
 * Returns the upstreams of a configuration, with their keys.
 *
 * @throws {@link ConfigError} if an environment variable of `api_key_env` is not set
 */
export declare function readUpstreams({ upstreams }: Config, env: NodeJS.ProcessEnv): UpstreamRule[];
