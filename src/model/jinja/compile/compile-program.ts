import type { Program, Statement } from "../ast.js";
import type { Run } from "./compiled.js";
import { runLoop } from "./loop.js";
import { Output } from "./output.js";
import type { Scope } from "./scope.js";
import { compileBlock, compileFor } from "./statements.js";

/**
 * Compiles a template to a function that returns what it prints, in parts: one for each iteration of an outermost loop,
 * and one for each statement between those loops.
 */
export function compileProgram({ body }: Program): (scope: Scope) => string[] {
  const statements = body.map(compileOutermost);
  return (scope) => {
    const output = new Output();
    for (const run of statements) run(scope, output);
    return output.parts;
  };
}

function compileOutermost(node: Statement): Run {
  if (node.type !== "For") return asPart(compileBlock([node], false));
  const loop = compileFor(node, false);
  return runLoop({ ...loop, body: asPart(loop.body), otherwise: asPart(loop.otherwise) });
}

function asPart(run: Run): Run {
  return (scope, output) => {
    const control = run(scope, output);
    output.endPart();
    return control;
  };
}
