import type { ConfigOptions } from "../config-options.js";
/**
 * `rolltape gateway`: serves one address for many servers until a signal stops it. Prints one JSON line on standard
 * output when it accepts calls. Logs go to standard error.
 */
export declare function gateway(overrides: readonly string[], { config: file }: ConfigOptions): Promise<void>;
