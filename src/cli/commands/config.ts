import { stringify } from "yaml";
import { redact, resolveConfig } from "../../config/index.js";
import type { ConfigOptions } from "../config-options.js";

/** `rolltape config`: prints the resolved configuration as YAML, with secret keys hidden. */
export function printConfig(overrides: readonly string[], { config: file }: ConfigOptions): void {
  process.stdout.write(stringify(redact(resolveConfig({ file, overrides }))));
}
