import { RenderError } from "../errors.js";
import { Tuple, Undefined } from "../values/value.js";
import { printed } from "./compiled.js";
import { compileExpression } from "./expressions.js";
export function compileParameters(nodes) {
    return nodes.map(({ name, byDefault }) => ({ name, byDefault: byDefault && compileExpression(byDefault) }));
}
/** Returns the function that a template calls. The body sees the scope of the macro's definition, not the caller's. */
export function callable(macro, scope) {
    return (args, keywords) => {
        const inner = scope.inner();
        const rest = new Map(keywords);
        bindParameters(macro, args, rest, inner);
        bindSpecialNames(macro, args, rest, inner);
        return printed(macro.body, inner);
    };
}
/** Sets all names before it evaluates the first default, so no default reads a variable outside the macro. */
function bindParameters(macro, args, keywords, scope) {
    const missing = [];
    for (const [index, parameter] of macro.parameters.entries()) {
        const { name } = parameter;
        const value = args[index] ?? keywords.get(name);
        if (index >= args.length)
            keywords.delete(name);
        if (value === undefined)
            missing.push(parameter);
        scope.set(name, value ?? new Undefined(() => `parameter '${name}' was not provided`));
    }
    for (const { name, byDefault } of missing) {
        if (byDefault !== undefined)
            scope.set(name, byDefault(scope));
    }
}
function bindSpecialNames(macro, args, keywords, scope) {
    const { name, parameters, special } = macro;
    if (special.has("caller")) {
        scope.set("caller", keywords.get("caller") ?? new Undefined(() => "No caller defined"));
        keywords.delete("caller");
    }
    const [unknown] = keywords.keys();
    if (special.has("kwargs"))
        scope.set("kwargs", new Map(keywords));
    else if (unknown !== undefined)
        throw new RenderError(`macro '${name}' takes no keyword argument '${unknown}'`);
    if (special.has("varargs"))
        scope.set("varargs", new Tuple(args.slice(parameters.length)));
    else if (args.length > parameters.length) {
        throw new RenderError(`macro '${name}' takes not more than ${parameters.length} argument(s)`);
    }
}
//# sourceMappingURL=macro.js.map