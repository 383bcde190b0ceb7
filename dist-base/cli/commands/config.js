import { stringify } from "yaml";
import { redact, resolveConfig } from "../../config/index.js";
/** `rolltape config`: prints the resolved configuration as YAML, with secret keys hidden. */
export function printConfig(overrides, { config: file }) {
    process.stdout.write(stringify(redact(resolveConfig({ file, overrides }))));
}
//# sourceMappingURL=config.js.map