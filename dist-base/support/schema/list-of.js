import { z } from "zod";
import { endSliceInTime, resultsInSlices } from "./sliced-check.js";
/**
 * Returns the schema of an array that is checked up to its first invalid element. zod's own arrays collect an issue for
 * every element, which turns a hostile body into gigabytes of issues.
 */
export function listOf(element, { min = 0, max = Number.POSITIVE_INFINITY, once = false } = {}) {
    // Remembers the results of objects, for later lists that contain them. A WeakMap, because the schema lives as long as
    // the process: a Map would keep every message of every request in memory.
    const known = once ? new WeakMap() : undefined;
    return z
        .array(z.unknown())
        .meta({ items: z.toJSONSchema(element, { io: "input", unrepresentable: "any" }), ...bounds(min, max) })
        .transform((items, context) => {
        if (items.length < min)
            context.addIssue(`must hold at least ${min}`);
        if (items.length > max)
            context.addIssue(`must hold at most ${max}`);
        if (items.length < min || items.length > max)
            return z.NEVER;
        return checkElements(items, { element, known: known ?? resultsInSlices(element) }, context);
    });
}
function checkElements(items, { element, known }, context) {
    const values = [];
    for (const [i, item] of items.entries()) {
        const object = typeof item === "object" && item !== null ? item : undefined;
        const earlier = object && known?.get(object);
        if (earlier !== undefined) {
            values.push(earlier);
            continue;
        }
        const result = element.safeParse(item);
        if (!result.success) {
            for (const issue of result.error.issues) {
                context.issues.push({ ...issue, path: [i, ...issue.path] });
            }
            return z.NEVER;
        }
        values.push(result.data);
        if (!object || !known)
            continue;
        known.set(object, result.data);
        endSliceInTime();
    }
    return values;
}
function bounds(min, max) {
    return { ...(min > 0 ? { minItems: min } : {}), ...(Number.isFinite(max) ? { maxItems: max } : {}) };
}
//# sourceMappingURL=list-of.js.map