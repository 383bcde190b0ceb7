import type { ConfigOptions } from "../config-options.js";
/** `rolltape config`: prints the resolved configuration as YAML, with secret keys hidden. */
export declare function printConfig(overrides: readonly string[], { config: file }: ConfigOptions): void;
