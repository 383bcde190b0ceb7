import { truthy } from "../values/value.js";
import { compileExpression } from "./expressions.js";
import { runLoopInSteps } from "./loop.js";
import { Output } from "./output.js";
import { compileBlock, compileFor } from "./statements.js";
/**
 * Compiles a template to a function that returns what it prints, in parts: one for each iteration of an outermost loop,
 * and one for each statement between those loops. Outermost loops, and those in an outermost `{% if %}`, run in several steps.
 */
export function compileProgram({ body }) {
    const statements = body.map(compileOutermost);
    return function* (scope) {
        const output = new Output();
        yield* runAll(statements, scope, output);
        return output.parts;
    };
}
function* runAll(statements, scope, output) {
    for (const statement of statements) {
        if (typeof statement === "function")
            statement(scope, output);
        else
            yield* statement.runInSteps(scope, output);
    }
}
function compileOutermost(node) {
    if (node.type === "For") {
        const loop = compileFor(node, false);
        const parts = { ...loop, body: asPart(loop.body), otherwise: asPart(loop.otherwise) };
        return { runInSteps: (scope, output) => runLoopInSteps(parts, scope, output) };
    }
    const compiled = compileInSteps(node);
    if (typeof compiled === "function")
        return asPart(compiled);
    return {
        *runInSteps(scope, output) {
            yield* compiled.runInSteps(scope, output);
            output.endPart();
        },
    };
}
function compileInSteps(node) {
    if (node.type === "For") {
        const loop = compileFor(node, false);
        return { runInSteps: (scope, output) => runLoopInSteps(loop, scope, output) };
    }
    if (node.type !== "If")
        return compileBlock([node], false);
    const test = compileExpression(node.test);
    const body = node.body.map(compileInSteps);
    const otherwise = node.alternate.map(compileInSteps);
    return { runInSteps: (scope, output) => runAll(truthy(test(scope)) ? body : otherwise, scope, output) };
}
function asPart(run) {
    return (scope, output) => {
        const control = run(scope, output);
        output.endPart();
        return control;
    };
}
//# sourceMappingURL=compile-program.js.map