import type { Config } from "../config/index.js";
import type { ResolveOptions } from "./resolve-options.js";
/** Returns true if the options are a complete configuration. Callers without types may pass any value. */
export declare function isConfig(options: unknown): options is Config;
/** Returns true for objects and arrays; false for null and for everything else. */
export declare function isObject(value: unknown): value is object;
/** Returns the options of a workflow. A configuration fills in the options that are not set. */
export declare function resolveWorkflowOptions({ config, ...options }: ResolveOptions): ResolveOptions;
