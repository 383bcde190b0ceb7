/**
 * Returns the nodes inside a node, in the order in which Jinja2 visits them. A name is included only if it reads a variable.
 * Names of attributes, filters, tests, keywords, parameters and targets of assignments are left out.
 */
export function childNodes(node) {
    switch (node.type) {
        case "Program":
        case "Generation":
            return node.body;
        case "If":
            return [node.test, ...node.body, ...node.alternate];
        case "For":
            // Jinja2 visits the condition of a loop last.
            return [node.iterable, ...node.body, ...node.otherwise, ...present(node.condition)];
        case "Set":
            return [
                ...present(node.value),
                ...targetReads(node.target),
                ...node.filters.flatMap(filterArguments),
                ...node.body,
            ];
        case "With":
            return [...node.variables.map(({ value }) => value), ...node.body];
        case "Macro":
            return [...defaults(node.parameters), ...node.body];
        case "CallStatement":
            return [node.call, ...defaults(node.parameters), ...node.body];
        case "FilterStatement":
            return [...node.body, ...node.filters.flatMap(filterArguments)];
        case "FilterExpression":
            return [node.operand, ...filterArguments(node.filter)];
        case "TestExpression":
            return [node.operand, ...node.args];
        case "ListLiteral":
        case "TupleLiteral":
            return node.items;
        case "DictLiteral":
            return node.entries.flat();
        case "BinaryExpression":
            return [node.left, node.right];
        case "Comparison":
            return [node.first, ...node.rest.map(({ operand }) => operand)];
        case "UnaryExpression":
            return [node.operand];
        case "Spread":
        case "KeywordSpread":
        case "Keyword":
            return [node.value];
        case "Condition":
            return [node.condition, node.whenTrue, ...present(node.whenFalse)];
        case "Attribute":
            return [node.object];
        case "Item":
            return [node.object, node.key];
        case "Slice":
            return [...present(node.start), ...present(node.stop), ...present(node.step)];
        case "CallExpression":
            return [node.callee, ...node.args];
        case "Name":
        case "StringLiteral":
        case "IntegerLiteral":
        case "FloatLiteral":
        case "Break":
        case "Continue":
            return [];
    }
}
const present = (node) => (node === undefined ? [] : [node]);
const defaults = (parameters) => parameters.flatMap(({ byDefault }) => present(byDefault));
const filterArguments = ({ args }) => args;
/** An assignment to an attribute reads the namespace. */
function targetReads(target) {
    if (target.type === "TupleTarget")
        return target.items.flatMap(targetReads);
    return target.type === "AttributeTarget" ? [target.namespace] : [];
}
//# sourceMappingURL=child-nodes.js.map