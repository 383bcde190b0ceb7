import { RenderError } from "../errors.js";
import { getItem } from "../values/subscript.js";
import { isInt, isText, plainText, typeName, Undefined } from "../values/value.js";
/**
 * Returns a function that reads an attribute by its path, such as `function.name` or `0`.
 *
 * @param otherwise the value of a missing attribute; if undefined, that value is Jinja's undefined
 */
export function attributeGetter(attribute, otherwise) {
    const path = readPath(attribute);
    return (item) => {
        let value = item;
        for (const key of path) {
            value = getItem(value, key);
            if (otherwise !== undefined && value instanceof Undefined)
                return otherwise;
        }
        return value;
    };
}
function readPath(attribute) {
    if (isInt(attribute))
        return [attribute];
    if (!isText(attribute))
        throw new RenderError(`an attribute name must be a string, not ${typeName(attribute)}`);
    return plainText(attribute)
        .split(".")
        .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}
//# sourceMappingURL=attribute-path.js.map