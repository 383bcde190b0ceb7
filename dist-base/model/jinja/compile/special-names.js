import { childNodes } from "../child-nodes.js";
const SPECIAL_NAMES = ["caller", "kwargs", "varargs"];
/**
 * Returns the special names that a body reads before it assigns them. Like in Jinja2, the order in the text counts, not
 * the order in which the body runs.
 */
export function specialNames(body) {
    const assigned = new Set();
    const read = new Set();
    const visit = (node) => {
        for (const name of assignedNames(node))
            assigned.add(name);
        const name = SPECIAL_NAMES.find((special) => node.type === "Name" && special === node.name);
        if (name !== undefined && !assigned.has(name))
            read.add(name);
        for (const child of childNodes(node))
            visit(child);
    };
    for (const node of body)
        visit(node);
    return read;
}
function assignedNames(node) {
    if (node.type === "For" || node.type === "Set")
        return targetNames(node.target);
    if (node.type === "With")
        return node.variables.flatMap(({ target }) => targetNames(target));
    return node.type === "Macro" || node.type === "CallStatement" ? node.parameters.map(({ name }) => name) : [];
}
function targetNames(target) {
    if (target.type === "Name")
        return [target.name];
    return target.type === "TupleTarget" ? target.items.flatMap(targetNames) : [];
}
//# sourceMappingURL=special-names.js.map