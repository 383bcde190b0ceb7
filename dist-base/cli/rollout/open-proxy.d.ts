import { type Config } from "../../config/index.js";
import type { JobProxy } from "./job-proxy.js";
import type { RolloutOptions } from "./rollout-options.js";
import type { RolloutScreen } from "./screen.js";
export interface JobProxySettings {
    readonly config: Config;
    readonly options: RolloutOptions;
    /** `key=value` arguments of the job, which are passed on to its proxies. */
    readonly overrides: readonly string[];
    readonly screen: RolloutScreen;
}
/** Opens the proxy of a job: a running one, one in this process, or several in separate processes behind a gateway. */
export declare function openProxy({ config, options, overrides, screen }: JobProxySettings): Promise<JobProxy>;
