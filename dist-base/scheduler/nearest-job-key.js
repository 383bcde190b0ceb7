import { z } from "zod";
import { findNearestName } from "../support/nearest-name.js";
import { jobSchema } from "./job.js";
const rootSchema = z.toJSONSchema(jobSchema, { io: "input" });
/**
 * Returns the known key that is most similar to an unknown key.
 *
 * @param path place in the job's description that has the unknown key
 */
export function findNearestJobKey(path, unknown) {
    const schemas = path.reduce((parents, part) => parents.flatMap((schema) => listChildSchemas(schema, part)), [rootSchema]);
    const known = schemas.flatMap(listAlternatives).flatMap(({ properties = {} }) => Object.keys(properties));
    return findNearestName(unknown, known);
}
function listChildSchemas(schema, part) {
    return listAlternatives(schema).flatMap(({ properties, items }) => {
        const child = typeof part === "number" ? items : properties?.[String(part)];
        return typeof child === "object" && !Array.isArray(child) ? [child] : [];
    });
}
function listAlternatives(schema) {
    return schema.anyOf ? schema.anyOf.flatMap(listAlternatives) : [schema];
}
//# sourceMappingURL=nearest-job-key.js.map