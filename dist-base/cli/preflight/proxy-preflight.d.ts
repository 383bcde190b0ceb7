import type { JobProxy } from "../rollout/job-proxy.js";
/**
 * Checks that the proxy at `--proxy` is ready for sessions and accepts the admin key.
 *
 * @throws RolloutJobError `proxy_failed` if it is not ready, `invalid_arguments` if it refuses the key
 */
export declare function requireProxy({ url, adminKey }: Pick<JobProxy, "url" | "adminKey">): Promise<void>;
