/**
 * `(a, *items, key=value, **mapping)`, in Python's order.
 *
 * @param parse reads the value of an argument
 */
export function parseArguments(stream, parse) {
    stream.expectOperator("(");
    const args = [];
    while (!stream.isOperator(")")) {
        if (args.length > 0)
            stream.expectOperator(",");
        if (stream.isOperator(")"))
            break;
        const argument = parseArgument(stream, parse);
        if (!isAllowedAfter(args, argument))
            throw stream.error("arguments are not in the order that Python requires");
        args.push(argument);
    }
    stream.take();
    return args;
}
function parseArgument(stream, parse) {
    if (stream.acceptOperator("*"))
        return { type: "Spread", value: parse(stream) };
    if (stream.acceptOperator("**"))
        return { type: "KeywordSpread", value: parse(stream) };
    const { current, following } = stream;
    if (current.type !== "name" || following.type !== "operator" || following.text !== "=")
        return parse(stream);
    stream.take();
    stream.take();
    return { type: "Keyword", name: current.text, value: parse(stream) };
}
/** One `*` and one `**` at most, nothing after `**`, and only keywords and `*` after a keyword. */
function isAllowedAfter(args, { type }) {
    const has = (...types) => args.some((arg) => types.includes(arg.type));
    if (has("KeywordSpread"))
        return false;
    if (type === "Keyword" || type === "KeywordSpread")
        return true;
    return type === "Spread" ? !has("Spread") : !has("Spread", "Keyword");
}
/**
 * `(a, b=1)` of a macro or of the body of a call.
 *
 * @param parse reads a default
 */
export function parseParameters(stream, parse) {
    stream.expectOperator("(");
    const parameters = [];
    while (!stream.isOperator(")")) {
        if (parameters.length > 0)
            stream.expectOperator(",");
        const name = stream.expectName();
        const byDefault = stream.acceptOperator("=") ? parse(stream) : undefined;
        if (byDefault === undefined && parameters.at(-1)?.byDefault !== undefined) {
            throw stream.error("a parameter without a default follows one with a default");
        }
        parameters.push({ name, byDefault });
    }
    stream.take();
    return parameters;
}
//# sourceMappingURL=parse-arguments.js.map