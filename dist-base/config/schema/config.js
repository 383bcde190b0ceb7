import { withCrossChecks } from "./cross-checks.js";
import { sectionsSchema } from "./sections.js";
/** The whole configuration, including rules over several keys. */
export const configSchema = withCrossChecks(sectionsSchema);
//# sourceMappingURL=config.js.map