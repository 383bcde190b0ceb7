import { RenderError } from "../errors.js";
import { itemsIn } from "../values/iterate.js";
import { isDict, NO_KEYWORDS, typeName } from "../values/value.js";
/** @param compile compiles the expressions in the arguments */
export function compileArguments(nodes, compile) {
    return { positional: compilePositional(nodes, compile), keywords: compileKeywords(nodes, compile) };
}
function compilePositional(nodes, compile) {
    const single = [];
    // The parser allows one `*items`, after the other positional arguments.
    let spread;
    for (const node of nodes) {
        if (node.type === "Spread")
            spread = compile(node.value);
        else if (node.type !== "Keyword" && node.type !== "KeywordSpread") {
            single.push(compile(node));
        }
    }
    const evaluate = (scope) => single.map((argument) => argument(scope));
    if (spread === undefined)
        return evaluate;
    const items = spread;
    return (scope) => [...evaluate(scope), ...itemsIn(items(scope))];
}
function compileKeywords(nodes, compile) {
    const steps = [];
    for (const node of nodes) {
        if (node.type === "Keyword")
            steps.push(oneKeyword(node.name, compile(node.value)));
        if (node.type === "KeywordSpread")
            steps.push(spreadKeywords(compile(node.value)));
    }
    if (steps.length === 0)
        return () => NO_KEYWORDS;
    return (scope) => {
        const keywords = new Map();
        for (const add of steps)
            add(scope, keywords);
        return keywords;
    };
}
function oneKeyword(name, evaluate) {
    return (scope, keywords) => addKeyword(keywords, name, evaluate(scope));
}
function spreadKeywords(evaluate) {
    return (scope, keywords) => {
        const mapping = evaluate(scope);
        if (!isDict(mapping))
            throw new RenderError(`argument after ** must be a mapping, not ${typeName(mapping)}`);
        for (const [key, value] of mapping)
            addKeyword(keywords, String(key), value);
    };
}
function addKeyword(keywords, name, value) {
    if (keywords.has(name))
        throw new RenderError(`got multiple values for keyword argument '${name}'`);
    keywords.set(name, value);
}
//# sourceMappingURL=arguments.js.map