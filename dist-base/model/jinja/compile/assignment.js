import { RenderError } from "../errors.js";
import { itemsIn } from "../values/iterate.js";
import { Namespace } from "../values/namespace.js";
import { compileExpression } from "./expressions.js";
/** Compiles a name, an attribute of a namespace, or a tuple of them that unpacks a value. */
export function compileTarget(target) {
    if (target.type === "Name")
        return (scope, value) => scope.set(target.name, value);
    if (target.type === "AttributeTarget")
        return compileAttributeTarget(target);
    const targets = target.items.map(compileTarget);
    return (scope, value) => {
        const items = itemsIn(value);
        const expected = targets.length;
        if (items.length < expected) {
            throw new RenderError(`not enough values to unpack (expected ${expected}, got ${items.length})`);
        }
        if (items.length > expected)
            throw new RenderError(`too many values to unpack (expected ${expected})`);
        for (const [index, item] of items.entries())
            targets[index]?.(scope, item);
    };
}
function compileAttributeTarget({ namespace, attribute }) {
    const owner = compileExpression(namespace);
    return (scope, value) => {
        const object = owner(scope);
        if (!(object instanceof Namespace))
            throw new RenderError("cannot assign attribute on non-namespace object");
        object.set(attribute, value);
    };
}
//# sourceMappingURL=assignment.js.map