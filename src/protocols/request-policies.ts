import type { ImagePolicy } from "./image-policy.js";
import type { ServerToolPolicy } from "./server-tools.js";

/** What the configuration says about the parts of requests that no prompt can show as they are. Default: refuse. */
export interface RequestPolicies {
  readonly serverTools?: ServerToolPolicy;
  readonly images?: ImagePolicy;
}
