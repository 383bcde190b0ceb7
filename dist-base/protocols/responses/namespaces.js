import { RequestError } from "../request-error.js";
const SEPARATOR = "__";
/** Returns the name that the model is shown. It does not depend on other tools, so earlier calls keep their names. */
export function joinName(namespace, name) {
    if (!namespace)
        return name;
    return namespace.endsWith(SEPARATOR) ? namespace + name : namespace + SEPARATOR + name;
}
/** Returns the namespaced tools of a request's `tools`, which are valid. */
export function readNamespacedNames(tools) {
    const names = new Map();
    for (const { type, name: namespace, tools: members } of tools) {
        if (type !== "namespace" || typeof namespace !== "string")
            continue;
        for (const { name } of members) {
            names.set(joinName(namespace, name), { namespace, name });
        }
    }
    return names;
}
/**
 * Checks that the names of namespaced tools are unique after flattening.
 *
 * @param shown the names of all tools, as the model is shown them
 * @throws RequestError if a namespaced tool has the same name as another tool
 */
export function requireDistinct(shown, namespaced) {
    const seen = new Set();
    for (const name of shown) {
        if (seen.has(name) && namespaced.has(name)) {
            throw new RequestError("tools", `tools: two tools have the name "${name}", namespace included.`);
        }
        seen.add(name);
    }
}
//# sourceMappingURL=namespaces.js.map