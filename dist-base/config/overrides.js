import { findKey } from "./key.js";
import { merge, nest } from "./tree.js";
import { readYaml } from "./yaml-source.js";
/**
 * Reads `key=value` arguments: dotted paths, and values in YAML (`engine.urls=[http://a,http://b]`). If a key occurs
 * twice, the later value counts. The value of a text key is taken literally unless it is quoted.
 */
export function readOverrides(args) {
    let value = {};
    const problems = [];
    for (const arg of args) {
        const override = readOverride(arg);
        if ("problem" in override)
            problems.push(override.problem);
        else
            value = merge(value, override.value);
    }
    return { value, problems };
}
function readOverride(arg) {
    const equals = arg.indexOf("=");
    const path = equals < 0 ? arg : arg.slice(0, equals);
    const keys = path.split(".");
    if (equals < 0 || keys.includes("")) {
        return { problem: { path: path || arg, message: `expected key=value, got ${JSON.stringify(hideValue(arg))}` } };
    }
    const text = arg.slice(equals + 1);
    const key = findKey(path);
    if (key?.isText && isPlainText(text, key.expectedEntry !== undefined))
        return { value: nest(keys, text) };
    const result = readYaml(text, keys);
    if ("value" in result)
        return { value: nest(keys, result.value) };
    return { problem: { path, message: `not a YAML value: ${result.errors.join("; ")}` } };
}
/**
 * Returns true if the value of a text key is to be taken literally: it is not quoted, not null, and not a YAML list.
 */
function isPlainText(text, isList) {
    return !/^\s*(["']|(~|null)?\s*$)/.test(text) && !(isList && /^\s*\[/.test(text));
}
function hideValue(arg) {
    const equals = arg.indexOf("=");
    return equals < 0 ? arg : `${arg.slice(0, equals)}=…`;
}
//# sourceMappingURL=overrides.js.map