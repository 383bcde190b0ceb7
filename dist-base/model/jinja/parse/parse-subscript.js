/**
 * `object.name`, `object.0`, `object[key]` and `object[start:stop:step]`.
 *
 * @param parse reads a key or a bound
 */
export function parseSubscript(stream, object, parse) {
    if (stream.acceptOperator("."))
        return parseAttribute(stream, object);
    stream.expectOperator("[");
    if (stream.isOperator("]"))
        throw stream.unexpected("an item");
    const key = parseKey(stream, parse);
    if (!stream.isOperator(",")) {
        stream.expectOperator("]");
        return { type: "Item", object, key };
    }
    const items = [key];
    while (stream.acceptOperator(","))
        items.push(parseKey(stream, parse));
    stream.expectOperator("]");
    const expressions = items.filter((item) => item.type !== "Slice");
    if (expressions.length < items.length)
        throw stream.error("slices in a tuple are not supported");
    return { type: "Item", object, key: { type: "TupleLiteral", items: expressions } };
}
function parseAttribute(stream, object) {
    const { current } = stream;
    if (current.type !== "integer")
        return { type: "Attribute", object, name: stream.expectName() };
    stream.take();
    return { type: "Item", object, key: { type: "IntegerLiteral", value: current.value } };
}
function parseKey(stream, parse) {
    const start = stream.isOperator(":") ? undefined : parse(stream);
    if (start !== undefined && !stream.isOperator(":"))
        return start;
    stream.expectOperator(":");
    const stop = stream.isOperator(":") ? undefined : parseBound(stream, parse);
    const step = stream.acceptOperator(":") ? parseBound(stream, parse) : undefined;
    return { type: "Slice", start, stop, step };
}
const parseBound = (stream, parse) => stream.isOperator("]", ",") ? undefined : parse(stream);
//# sourceMappingURL=parse-subscript.js.map