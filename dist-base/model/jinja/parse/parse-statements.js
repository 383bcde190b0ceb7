import { parseParameters } from "./parse-arguments.js";
import { parseExpression, parseFilter, parseFilterName, parseOr } from "./parse-expression.js";
import { parseAssignedName, parseTarget } from "./parse-target.js";
import { parseTuple } from "./parse-tuple.js";
/**
 * Reads statements up to a tag with one of these names; the name is then the current token. Without names, reads to the end of
 * the template.
 */
export function parseBody(stream, endings) {
    const body = [];
    for (;;) {
        const { type } = stream.current;
        if (type === "end") {
            if (endings.length > 0)
                throw stream.unexpected(`{% ${endings.join(" %} or {% ")} %}`);
            return body;
        }
        const { text } = stream.take();
        if (type === "data")
            body.push({ type: "StringLiteral", value: text });
        else if (type === "expression_begin") {
            body.push(parseTuple(stream, parseExpression));
            stream.expectEnd("expression_end");
        }
        else {
            if (stream.isName(...endings))
                return body;
            body.push(parseTag(stream));
            stream.expectEnd("tag_end");
        }
    }
}
const TAGS = new Map([
    ["if", parseIf],
    ["for", parseFor],
    ["set", parseSet],
    ["with", parseWith],
    ["macro", parseMacro],
    ["call", parseCall],
    ["filter", parseFilterBlock],
    ["generation", (stream) => ({ type: "Generation", body: parseBlock(stream, "endgeneration") })],
    ["break", () => ({ type: "Break" })],
    ["continue", () => ({ type: "Continue" })],
]);
/** Jinja2's other tags. Chat templates have no use for them. */
const UNSUPPORTED = new Set(["autoescape", "block", "extends", "from", "import", "include", "print"]);
/** Reads a tag, and for a block also its statements. The `%}` that ends the tag or the block is then the current token. */
function parseTag(stream) {
    const { current } = stream;
    if (current.type !== "name")
        throw stream.unexpected("the name of a tag");
    const parse = TAGS.get(current.text);
    if (parse === undefined) {
        throw stream.error(UNSUPPORTED.has(current.text) ? `{% ${current.text} %} is not supported` : `unknown tag '${current.text}'`);
    }
    stream.take();
    return parse(stream);
}
/** Reads the statements of a block after its tag. A colon at the tag's end is ignored, as in Jinja2. */
function parseStatements(stream, endings) {
    stream.acceptOperator(":");
    stream.expectEnd("tag_end");
    return parseBody(stream, endings);
}
function parseBlock(stream, ending) {
    const body = parseStatements(stream, [ending]);
    stream.take();
    return body;
}
function parseIf(stream) {
    const test = parseTuple(stream, parseOr);
    const body = parseStatements(stream, ["elif", "else", "endif"]);
    const ending = stream.take().text;
    const alternate = ending === "elif" ? [parseIf(stream)] : ending === "else" ? parseBlock(stream, "endif") : [];
    return { type: "If", test, body, alternate };
}
function parseFor(stream) {
    const target = parseTarget(stream, false);
    if (!stream.acceptName("in"))
        throw stream.unexpected("'in'");
    const iterable = parseTuple(stream, parseOr);
    const condition = stream.acceptName("if") ? parseExpression(stream) : undefined;
    if (stream.isName("recursive"))
        throw stream.error("recursive loops are not supported");
    const body = parseStatements(stream, ["endfor", "else"]);
    const otherwise = stream.take().text === "else" ? parseBlock(stream, "endfor") : [];
    return { type: "For", target, iterable, condition, body, otherwise };
}
function parseSet(stream) {
    const target = parseTarget(stream, true);
    if (stream.acceptOperator("=")) {
        return { type: "Set", target, value: parseTuple(stream, parseExpression), filters: [], body: [] };
    }
    const filters = parseFilters(stream);
    return { type: "Set", target, value: undefined, filters, body: parseBlock(stream, "endset") };
}
function parseFilters(stream) {
    const filters = [];
    while (stream.isOperator("|"))
        filters.push(parseFilter(stream));
    return filters;
}
function parseWith(stream) {
    const variables = [];
    while (stream.current.type !== "tag_end") {
        if (variables.length > 0)
            stream.expectOperator(",");
        const target = parseTarget(stream, false);
        stream.expectOperator("=");
        variables.push({ target, value: parseExpression(stream) });
    }
    return { type: "With", variables, body: parseBlock(stream, "endwith") };
}
function parseMacro(stream) {
    const name = parseAssignedName(stream);
    return {
        type: "Macro",
        name,
        parameters: parseParameters(stream, parseExpression),
        body: parseBlock(stream, "endmacro"),
    };
}
function parseCall(stream) {
    const parameters = stream.isOperator("(") ? parseParameters(stream, parseExpression) : [];
    const call = parseExpression(stream);
    if (call.type !== "CallExpression")
        throw stream.error("{% call %} requires a call");
    return { type: "CallStatement", call, parameters, body: parseBlock(stream, "endcall") };
}
function parseFilterBlock(stream) {
    const filters = [parseFilterName(stream), ...parseFilters(stream)];
    return { type: "FilterStatement", filters, body: parseBlock(stream, "endfilter") };
}
//# sourceMappingURL=parse-statements.js.map