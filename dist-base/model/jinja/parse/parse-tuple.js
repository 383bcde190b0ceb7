/**
 * Reads an expression, or a tuple without parentheses: expressions between commas, of which the last one may have a comma
 * too.
 *
 * @param parseItem reads one of the expressions
 */
export function parseTuple(stream, parseItem) {
    const first = parseItem(stream);
    if (!stream.isOperator(","))
        return first;
    const items = [first];
    while (stream.acceptOperator(",") && !isTupleEnd(stream))
        items.push(parseItem(stream));
    return { type: "TupleLiteral", items };
}
/** Returns true at a token that cannot begin an item: the comma before it was the last. */
export function isTupleEnd(stream) {
    const { type } = stream.current;
    return type === "tag_end" || type === "expression_end" || stream.isOperator(")");
}
//# sourceMappingURL=parse-tuple.js.map