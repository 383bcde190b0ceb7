import type { NormalizedConfig } from "./spelling.js";
/**
 * Reads `key=value` arguments: dotted paths, and values in YAML (`engine.urls=[http://a,http://b]`). If a key occurs
 * twice, the later value counts. The value of a text key is taken literally unless it is quoted.
 */
export declare function readOverrides(args: readonly string[]): NormalizedConfig;
