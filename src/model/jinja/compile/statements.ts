import type {
  CallNode,
  Comment,
  Expression,
  FilterBlockNode,
  ForNode,
  IfNode,
  MacroNode,
  ParameterNode,
  SetNode,
  Statement,
} from "../ast.js";
import { itemsIn } from "../values/iterate.js";
import { pyStr } from "../values/repr.js";
import { truthy, type Value } from "../values/value.js";
import { compileArguments } from "./arguments.js";
import { type Assign, compileSetTarget, compileTarget } from "./assignment.js";
import type { Evaluate, LoopControl, Run } from "./compiled.js";
import { call, compileExpression, compileFilter } from "./expressions.js";
import { type ForLoop, runLoop } from "./loop.js";
import { callable, compileParameters, type Macro } from "./macro.js";
import { Output } from "./output.js";
import type { Scope } from "./scope.js";
import { specialNames } from "./special-names.js";

/**
 * Compiles statements to be run one after the other.
 *
 * @param inLoop true if `{% break %}` and `{% continue %}` have a loop to leave
 */
export function compileBlock(nodes: readonly Statement[], inLoop: boolean): Run {
  const statements = nodes.flatMap((node) => (node.type === "Comment" ? [] : [compileStatement(node, inLoop)]));
  return (scope, output) => {
    for (const run of statements) {
      const control = run(scope, output);
      if (control !== undefined) return control;
    }
    return undefined;
  };
}

function compileStatement(node: Exclude<Statement, Comment>, inLoop: boolean): Run {
  if (node.type === "If") return compileIf(node, inLoop);
  if (node.type === "For") return runLoop(compileFor(node, inLoop));
  if (node.type === "Break") return leaveIteration("break", inLoop);
  if (node.type === "Continue") return leaveIteration("continue", inLoop);
  if (node.type === "Set") return compileSet(node, inLoop);
  if (node.type === "Macro") return compileMacro(node);
  if (node.type === "CallStatement") return compileCallBlock(node);
  if (node.type === "FilterStatement") return compileFilterBlock(node, inLoop);
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
  const assign = compileTarget(node.loopvar);
  return {
    items: compileItems(node.iterable, assign),
    assign,
    body: compileBlock(node.body, true),
    otherwise: compileBlock(node.defaultBlock, inLoop),
  };
}

/** `for x in items if condition`: the condition sees x. */
function compileItems(node: Expression, assign: Assign): (scope: Scope) => readonly Value[] {
  if (node.type !== "SelectExpression") {
    const items = compileExpression(node);
    return (scope) => itemsIn(items(scope));
  }
  const items = compileExpression(node.lhs);
  const condition = compileExpression(node.test);
  return (scope) =>
    itemsIn(items(scope)).filter((item) => {
      const inner = scope.inner();
      assign(inner, item);
      return truthy(condition(inner));
    });
}

function compileSet(node: SetNode, inLoop: boolean): Run {
  const assign = compileSetTarget(node.assignee);
  if (node.value === null) return compileSetBlock(assign, compileBlock(node.body, inLoop));
  const value = compileExpression(node.value);
  return (scope) => {
    assign(scope, value(scope));
    return undefined;
  };
}

/** `{% set x %}…{% endset %}`. If the body leaves an iteration, its text is lost, as in Python. */
function compileSetBlock(assign: Assign, body: Run): Run {
  return (scope) => {
    const output = new Output();
    const control = body(scope.inner(), output);
    if (control === undefined) assign(scope, output.text);
    return control;
  };
}

function compileFilterBlock(node: FilterBlockNode, inLoop: boolean): Run {
  const filter = compileFilter(node.filter);
  const body = compileBlock(node.body, inLoop);
  return (scope, output) => {
    const inner = new Output();
    const control = body(scope.inner(), inner);
    if (control === undefined) output.print(pyStr(filter(inner.text, scope)));
    return control;
  };
}

function compileMacro({ name, args, body }: MacroNode): Run {
  const macro = compileMacroBody(name.value, args, body);
  return (scope) => {
    scope.set(name.value, callable(macro, scope));
    return undefined;
  };
}

/** `{% call(a) macro(…) %}…{% endcall %}`: the macro gets the body as the keyword argument `caller`. */
function compileCallBlock({ call: { callee, args }, callerArgs, body }: CallNode): Run {
  const called = compileExpression(callee);
  const { positional, keywords } = compileArguments(args, compileExpression);
  const caller = compileMacroBody("None", callerArgs ?? [], body);
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
