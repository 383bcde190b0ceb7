import { CONSTANTS } from "../constants.js";
import { isTupleEnd } from "./parse-tuple.js";
/**
 * Reads what is assigned to: a name, or names between commas that unpack a value, with or without parentheses.
 *
 * @param hasAttributes true for `{% set %}`, which also assigns to attributes of namespaces
 */
export function parseTarget(stream, hasAttributes) {
    const first = parseOne(stream, hasAttributes);
    if (stream.isOperator("[", "."))
        throw stream.error("cannot assign to an item, only to an attribute of a namespace");
    if (!stream.isOperator(","))
        return first;
    const items = [first];
    while (stream.acceptOperator(",") && !isTupleEnd(stream) && !stream.isName("in")) {
        items.push(parseOne(stream, hasAttributes));
    }
    return { type: "TupleTarget", items };
}
function parseOne(stream, hasAttributes) {
    if (stream.acceptOperator("(")) {
        const target = parseTarget(stream, false);
        stream.expectOperator(")");
        return target;
    }
    const name = parseAssignedName(stream);
    if (!hasAttributes || !stream.acceptOperator("."))
        return { type: "Name", name };
    return { type: "AttributeTarget", namespace: { type: "Name", name }, attribute: stream.expectName() };
}
/** Reads a name that is no constant. */
export function parseAssignedName(stream) {
    if (stream.current.type === "name" && CONSTANTS.has(stream.current.text)) {
        throw stream.error(`cannot assign to '${stream.current.text}'`);
    }
    return stream.expectName();
}
//# sourceMappingURL=parse-target.js.map