import { readFileSync } from "node:fs";
import { isScalar, parseDocument } from "yaml";
/**
 * Returns true if a key is written without a value, as in `storage.directory=` or `directory:`. Its value is then null, like that of a
 * key that is absent, but whoever wrote it may have expected another one: a variable of a script may have been empty.
 *
 * @param sources must be valid: see `resolveConfig`
 */
export function isWrittenEmpty(path, { file, overrides = [] }) {
    const argument = overrides.findLast((override) => override.startsWith(`${path}=`));
    if (argument !== undefined)
        return argument.slice(path.length + 1).trim() === "";
    if (file === undefined)
        return false;
    const value = parseDocument(readFileSync(file, "utf8")).getIn(path.split("."), true);
    return isScalar(value) && value.value === null && value.source === "";
}
//# sourceMappingURL=empty-key.js.map