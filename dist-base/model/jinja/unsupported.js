import { childNodes } from "./child-nodes.js";
import { hasTextMethod } from "./methods/str.js";
// Features of Jinja2 and Python's `str` that this interpreter does not support. Names that Python does not know either are
// no problem here: they fail only when they are reached, and templates guard them with conditions.
const FILTERS = new Set("filesizeformat pprint random slice striptags urlize wordwrap xmlattr".split(" "));
const TESTS = new Set(["filter", "test"]);
const FUNCTIONS = new Set(["cycler", "joiner", "lipsum"]);
const METHODS = new Set("encode expandtabs format_map isascii isdecimal isidentifier isprintable istitle maketrans rindex translate zfill"
    .split(" ")
    .filter((name) => !hasTextMethod(name)));
/**
 * Finds an unsupported feature that a template uses, even in a branch that rarely runs. Otherwise the template would work
 * for a while and then fail.
 *
 * @returns a description of the feature; undefined if all are supported
 */
export function findUnsupported(root) {
    const stack = [root];
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
        const problem = findProblem(node);
        if (problem !== undefined)
            return problem;
        stack.push(...childNodes(node));
    }
    return undefined;
}
function findProblem(node) {
    if (node.type === "FilterExpression")
        return filterProblem(node.filter);
    if (node.type === "FilterStatement" || node.type === "Set") {
        return node.filters.map(filterProblem).find((problem) => problem !== undefined);
    }
    if (node.type === "TestExpression")
        return testProblem(node.name) ?? keywordProblem(node);
    return node.type === "CallExpression" ? callProblem(node) : undefined;
}
function keywordProblem({ name, args }) {
    const hasKeywords = args.some(({ type }) => type === "Keyword" || type === "KeywordSpread");
    return hasKeywords ? `a keyword argument of the test '${name}'` : undefined;
}
function callProblem({ callee }) {
    if (callee.type === "Name" && FUNCTIONS.has(callee.name))
        return `the function '${callee.name}'`;
    return callee.type === "Attribute" && METHODS.has(callee.name) ? `the method '${callee.name}' of strings` : undefined;
}
/** Filters may take the name of a filter or a test as an argument. */
function filterProblem({ name, args }) {
    if (FILTERS.has(name))
        return `the filter '${name}'`;
    const [first, second] = args.map((argument) => (argument.type === "StringLiteral" ? argument.value : ""));
    if (name === "map" && first !== undefined && FILTERS.has(first))
        return `the filter '${first}'`;
    if (name === "selectattr" || name === "rejectattr")
        return testProblem(second);
    return name === "select" || name === "reject" ? testProblem(first) : undefined;
}
const testProblem = (name) => name !== undefined && TESTS.has(name) ? `the test '${name}'` : undefined;
//# sourceMappingURL=unsupported.js.map