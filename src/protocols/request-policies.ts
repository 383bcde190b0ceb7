import type { ImagePolicy } from "./image-policy.js";
import type { ServerToolPolicy } from "./server-tools.js";

/** How the configuration treats parts of requests that a prompt cannot contain. Default: refuse. */
export interface RequestPolicies {
  readonly serverTools?: ServerToolPolicy;
  readonly images?: ImagePolicy;
}
