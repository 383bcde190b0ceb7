import type {
  CallNode,
  FilterBlockNode,
  FilterNode,
  ForNode,
  IfNode,
  MacroNode,
  ParameterNode,
  SetNode,
  Statement,
  WithNode,
} from "../ast.js";
import { itemsIn } from "../values/iterate.js";
import { pyStr } from "../values/repr.js";
import { truthy, type Value } from "../values/value.js";
import { compileArguments } from "./arguments.js";
import { type Assign, compileTarget } from "./assignment.js";
import type { Evaluate, LoopControl, Run } from "./compiled.js";
import { call, compileExpression, compileFilter } from "./expressions.js";
import { type ForLoop, runLoop } from "./loop.js";
import { CALL_BODY, callable, compileParameters, type Macro } from "./macro.js";
import { Output } from "./output.js";
import type { Scope } from "./scope.js";
import { specialNames } from "./special-names.js";

/**
 * Compiles statements to be run one after the other.
 *
 * @param inLoop true if `{% break %}` and `{% continue %}` have a loop to leave
 */
export function compileBlock(nodes: readonly Statement[], inLoop: boolean): Run {
  const statements = nodes.map((node) => compileStatement(node, inLoop));
  return (scope, output) => {
    for (const run of statements) {
      const control = run(scope, output);
      if (control !== undefined) return control;
    }
    return undefined;
  };
}

function compileStatement(node: Statement, inLoop: boolean): Run {
  if (node.type === "If") return compileIf(node, inLoop);
  if (node.type === "For") return runLoop(compileFor(node, inLoop));
  if (node.type === "Break") return leaveIteration("break", inLoop);
  if (node.type === "Continue") return leaveIteration("continue", inLoop);
  if (node.type === "Set") return compileSet(node, inLoop);
  if (node.type === "Macro") return compileMacro(node);
  if (node.type === "CallStatement") return compileCallBlock(node);
  if (node.type === "FilterStatement") return compileFilterBlock(node, inLoop);
  if (node.type === "With") return compileWith(node, inLoop);
  // The tag is a call of a macro in `transformers`, so its body cannot leave a loop around it.
  if (node.type === "Generation") return inScope(compileBlock(node.body, false));
  return printValue(compileExpression(node));
}

function printValue(evaluate: Evaluate): Run {
  return (scope, output) => {
    output.print(pyStr(evaluate(scope)));
    return undefined;
  };
}

function leaveIteration(control: LoopControl, inLoop: boolean): Run {
  if (!inLoop) throw new Error(`'${control}' outside loop`);
  return () => control;
}

function compileIf(node: IfNode, inLoop: boolean): Run {
  const test = compileExpression(node.test);
  const body = compileBlock(node.body, inLoop);
  const otherwise = compileBlock(node.alternate, inLoop);
  return (scope, output) => (truthy(test(scope)) ? body : otherwise)(scope, output);
}

/** Compiles the parts of a loop. The caller decides how they run: outermost loops end a part with each iteration. */
export function compileFor(node: ForNode, inLoop: boolean): ForLoop {
  const assign = compileTarget(node.target);
  return {
    items: compileItems(node, assign),
    assign,
    body: compileBlock(node.body, true),
    otherwise: compileBlock(node.otherwise, inLoop),
  };
}

/** `for x in items if condition`: the condition sees x. */
function compileItems({ iterable, condition }: ForNode, assign: Assign): (scope: Scope) => readonly Value[] {
  const items = compileExpression(iterable);
  if (condition === undefined) return (scope) => itemsIn(items(scope));
  const isChosen = compileExpression(condition);
  return (scope) =>
    itemsIn(items(scope)).filter((item) => {
      const inner = scope.inner();
      assign(inner, item);
      return truthy(isChosen(inner));
    });
}

function compileSet(node: SetNode, inLoop: boolean): Run {
  const assign = compileTarget(node.target);
  if (node.value === undefined) return compileSetBlock(node, assign, compileBlock(node.body, inLoop));
  const value = compileExpression(node.value);
  return (scope) => {
    assign(scope, value(scope));
    return undefined;
  };
}

/** `{% set x %}…{% endset %}`. If the body leaves an iteration, its text is lost, as in Python. */
function compileSetBlock({ filters }: SetNode, assign: Assign, body: Run): Run {
  const filter = compileFilters(filters);
  return (scope) => {
    const output = new Output();
    const control = body(scope.inner(), output);
    if (control === undefined) assign(scope, filter(output.text, scope));
    return control;
  };
}

function compileFilterBlock(node: FilterBlockNode, inLoop: boolean): Run {
  const filter = compileFilters(node.filters);
  const body = compileBlock(node.body, inLoop);
  return (scope, output) => {
    const inner = new Output();
    const control = body(scope.inner(), inner);
    if (control === undefined) output.print(pyStr(filter(inner.text, scope)));
    return control;
  };
}

function compileFilters(nodes: readonly FilterNode[]): (text: string, scope: Scope) => Value {
  const filters = nodes.map(compileFilter);
  return (text, scope) => filters.reduce<Value>((value, filter) => filter(value, scope), text);
}

/** The values are evaluated outside, so none of them sees another variable of the tag. */
function compileWith({ variables, body }: WithNode, inLoop: boolean): Run {
  const assignments = variables.map(({ target, value }) => ({
    assign: compileTarget(target),
    evaluate: compileExpression(value),
  }));
  const run = compileBlock(body, inLoop);
  return (scope, output) => {
    const inner = scope.inner();
    for (const { assign, evaluate } of assignments) assign(inner, evaluate(scope));
    return run(inner, output);
  };
}

const inScope =
  (run: Run): Run =>
  (scope, output) =>
    run(scope.inner(), output);

function compileMacro({ name, parameters, body }: MacroNode): Run {
  const macro = compileMacroBody(name, parameters, body);
  return (scope) => {
    scope.set(name, callable(macro, scope));
    return undefined;
  };
}

/** `{% call(a) macro(…) %}…{% endcall %}`: the macro gets the body as the keyword argument `caller`. */
function compileCallBlock({ call: { callee, args }, parameters, body }: CallNode): Run {
  const called = compileExpression(callee);
  const { positional, keywords } = compileArguments(args, compileExpression);
  const caller = compileMacroBody(CALL_BODY, parameters, body);
  return (scope, output) => {
    const withCaller = new Map(keywords(scope)).set("caller", callable(caller, scope));
    output.print(pyStr(call(called(scope), positional(scope), withCaller)));
    return undefined;
  };
}

/** A macro's body can be called from anywhere, so it cannot leave a loop around it. */
function compileMacroBody(name: string, parameters: readonly ParameterNode[], body: readonly Statement[]): Macro {
  return {
    name,
    parameters: compileParameters(parameters),
    special: specialNames(body),
    body: compileBlock(body, false),
  };
}
