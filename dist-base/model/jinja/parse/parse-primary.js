import { parseTuple } from "./parse-tuple.js";
/**
 * A name, a literal, or an expression in brackets.
 *
 * @param parse reads an expression in brackets
 */
export function parsePrimary(stream, parse) {
    const { current } = stream;
    if (current.type === "string")
        return parseStrings(stream);
    if (current.type === "name")
        return { type: "Name", name: stream.take().text };
    if (current.type === "integer") {
        stream.take();
        return { type: "IntegerLiteral", value: current.value };
    }
    if (current.type === "float") {
        stream.take();
        return { type: "FloatLiteral", value: current.value };
    }
    if (stream.acceptOperator("("))
        return parseParenthesized(stream, parse);
    if (stream.acceptOperator("["))
        return { type: "ListLiteral", items: parseItems(stream, "]", parse) };
    if (stream.acceptOperator("{")) {
        return { type: "DictLiteral", entries: parseItems(stream, "}", () => parseEntry(stream, parse)) };
    }
    throw stream.unexpected("a value");
}
/** Strings that follow each other are one string. */
function parseStrings(stream) {
    let value = "";
    while (stream.current.type === "string")
        value += stream.take().text;
    return { type: "StringLiteral", value };
}
function parseParenthesized(stream, parse) {
    if (stream.acceptOperator(")"))
        return { type: "TupleLiteral", items: [] };
    const value = parseTuple(stream, parse);
    stream.expectOperator(")");
    return value;
}
/** Items between commas, up to and with the closing bracket. The last one may have a comma too. */
function parseItems(stream, close, parseItem) {
    const items = [];
    while (!stream.isOperator(close)) {
        if (items.length > 0)
            stream.expectOperator(",");
        if (stream.isOperator(close))
            break;
        items.push(parseItem(stream));
    }
    stream.take();
    return items;
}
function parseEntry(stream, parse) {
    const key = parse(stream);
    stream.expectOperator(":");
    return [key, parse(stream)];
}
//# sourceMappingURL=parse-primary.js.map