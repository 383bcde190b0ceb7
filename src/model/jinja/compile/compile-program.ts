import type { ForNode, Program, Statement } from "../ast.js";
import { findLoopInputs } from "../reuse/loop-inputs.js";
import { LoopRun, type RenderingHistory } from "../reuse/loop-run.js";
import { truthy } from "../values/value.js";
import type { RenderSteps, Run } from "./compiled.js";
import { compileExpression } from "./expressions.js";
import { runLoopInSteps } from "./loop.js";
import { Output } from "./output.js";
import type { Scope } from "./scope.js";
import { compileBlock, compileFor } from "./statements.js";

/** A compiled statement that can pause. It is in no loop, so it leaves none. */
interface Pausing {
  readonly runInSteps: (scope: Scope, output: Output, history: RenderingHistory) => RenderSteps<void>;
}

/**
 * Compiles a template to a function that returns what it prints, in parts: one for each iteration of an outermost loop,
 * and one for each statement between those loops. Outermost loops, and those in an outermost `{% if %}`, run in several steps.
 * Only outermost loops take iterations from earlier renderings.
 */
export function compileProgram(program: Program): (scope: Scope, history: RenderingHistory) => RenderSteps<string[]> {
  const statements = program.body.map((node) => compileOutermost(node, program));
  return function* (scope, history) {
    const output = new Output();
    yield* runAll(statements, scope, output, history);
    return output.parts;
  };
}

function* runAll(
  statements: readonly (Run | Pausing)[],
  scope: Scope,
  output: Output,
  history: RenderingHistory,
): RenderSteps<void> {
  for (const statement of statements) {
    if (typeof statement === "function") statement(scope, output);
    else yield* statement.runInSteps(scope, output, history);
  }
}

function compileOutermost(node: Statement, program: Program): Run | Pausing {
  if (node.type === "For") return compileOutermostLoop(node, program);
  const compiled = compileInSteps(node);
  if (typeof compiled === "function") return asPart(compiled);
  return {
    *runInSteps(scope, output, history) {
      yield* compiled.runInSteps(scope, output, history);
      output.endPart();
    },
  };
}

function compileOutermostLoop(node: ForNode, program: Program): Pausing {
  const loop = compileFor(node, false);
  const parts = { ...loop, body: asPart(loop.body), otherwise: asPart(loop.otherwise) };
  const inputs = findLoopInputs(node, program);
  return {
    runInSteps: (scope, output, history) =>
      runLoopInSteps(parts, scope, output, (items) =>
        LoopRun.begin(inputs, items, scope, output.parts.length, history),
      ),
  };
}

function compileInSteps(node: Statement): Run | Pausing {
  if (node.type === "For") {
    const loop = compileFor(node, false);
    return { runInSteps: (scope, output) => runLoopInSteps(loop, scope, output) };
  }
  if (node.type !== "If") return compileBlock([node], false);
  const test = compileExpression(node.test);
  const body = node.body.map(compileInSteps);
  const otherwise = node.alternate.map(compileInSteps);
  return {
    runInSteps: (scope, output, history) => runAll(truthy(test(scope)) ? body : otherwise, scope, output, history),
  };
}

function asPart(run: Run): Run {
  return (scope, output) => {
    const control = run(scope, output);
    output.endPart();
    return control;
  };
}
