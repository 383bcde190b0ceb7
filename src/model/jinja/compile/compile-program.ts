import type { Program, Statement } from "../ast.js";
import type { Run, Steps } from "./compiled.js";
import { type ForLoop, runLoopInSteps } from "./loop.js";
import { Output } from "./output.js";
import type { Scope } from "./scope.js";
import { compileBlock, compileFor } from "./statements.js";

/**
 * Compiles a template to a function that returns what it prints, in parts: one for each iteration of an outermost loop,
 * and one for each statement between those loops. A long loop runs in several steps.
 */
export function compileProgram({ body }: Program): (scope: Scope) => Steps<string[]> {
  const statements = body.map(compileOutermost);
  return function* (scope) {
    const output = new Output();
    for (const statement of statements) {
      if (typeof statement === "function") statement(scope, output);
      else yield* runLoopInSteps(statement, scope, output);
    }
    return output.parts;
  };
}

function compileOutermost(node: Statement): Run | ForLoop {
  if (node.type !== "For") return asPart(compileBlock([node], false));
  const loop = compileFor(node, false);
  return { ...loop, body: asPart(loop.body), otherwise: asPart(loop.otherwise) };
}

function asPart(run: Run): Run {
  return (scope, output) => {
    const control = run(scope, output);
    output.endPart();
    return control;
  };
}
