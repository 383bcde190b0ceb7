import type { ImagePolicy } from "./image-policy.js";
import type { ServerToolPolicy } from "./server-tools.js";
/** Limits that the configuration sets for requests. */
export interface RequestPolicies {
    /** Maximum number of answers to one request. Default: 1. */
    readonly maxChoices?: number;
    readonly serverTools?: ServerToolPolicy;
    readonly images?: ImagePolicy;
}
