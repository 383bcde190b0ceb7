import { z } from "zod";
import { describeExpected, listAlternatives, readItemSchema } from "../support/schema/expected-text.js";
import { configSchema } from "./schema/config.js";
const found = collect(z.toJSONSchema(configSchema, { io: "input" }), []);
/** Every key that holds a value, in the order of the schema. */
export const configKeys = found.keys;
/** The keys that contain other keys: `server`, `rollout`, `rollout.agent`, …. */
export const configSections = found.sections;
const keysByPath = new Map(configKeys.map((key) => [key.path, key]));
/** Returns the key at a dotted path, which may begin with `rollout.compat` instead of `rollout.agent`. */
export function findKey(path) {
    return keysByPath.get(path.replace(/^rollout\.compat\./, "rollout.agent."));
}
function collect(schema, path) {
    if (!schema.properties)
        return { keys: [toKey(schema, path.join("."))], sections: [] };
    const keys = [];
    const sections = path.length > 0 ? [path.join(".")] : [];
    for (const [name, child] of Object.entries(schema.properties)) {
        if (typeof child === "boolean")
            continue;
        const below = collect(child, [...path, name]);
        keys.push(...below.keys);
        sections.push(...below.sections);
    }
    return { keys, sections };
}
function toKey(schema, path) {
    const isList = schema.type === "array";
    const value = isList ? readItemSchema(schema) : schema;
    return {
        path,
        expected: describeExpected(schema),
        defaultValue: schema.default,
        description: schema.description ?? "",
        isText: !value.enum && listAlternatives(value).some((each) => each.type === "string" && each.const === undefined),
        expectedEntry: isList ? describeExpected(value) : undefined,
        isSecret: schema.writeOnly === true,
    };
}
//# sourceMappingURL=key.js.map