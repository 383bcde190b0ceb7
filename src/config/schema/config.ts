import { withCrossChecks } from "./cross-checks.js";
import { sectionsSchema } from "./sections.js";

/** The whole configuration, every rule in it. */
export const configSchema = withCrossChecks(sectionsSchema);
