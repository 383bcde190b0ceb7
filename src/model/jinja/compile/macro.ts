import type { ParameterNode } from "../ast.js";
import { RenderError } from "../errors.js";
import { type Callable, Tuple, Undefined, type Value } from "../values/value.js";
import type { Evaluate } from "./compiled.js";
import { printed, type Run } from "./compiled.js";
import { compileExpression } from "./expressions.js";
import type { Scope } from "./scope.js";
import type { SpecialName } from "./special-names.js";

/** Name of the body of a `{% call %}` in error messages, as in Jinja2. No macro can have it. */
export const CALL_BODY = "None";

/** The compiled parts of a macro, or of the body of a `{% call %}`. */
export interface Macro {
  /** Name for error messages; {@link CALL_BODY} for the body of a call. */
  readonly name: string;
  readonly parameters: readonly Parameter[];
  /** Names that are set in addition to the parameters. */
  readonly special: ReadonlySet<SpecialName>;
  readonly body: Run;
}

interface Parameter {
  readonly name: string;
  readonly byDefault: Evaluate | undefined;
}

export function compileParameters(nodes: readonly ParameterNode[]): Parameter[] {
  return nodes.map(({ name, byDefault }) => ({ name, byDefault: byDefault && compileExpression(byDefault) }));
}

/** A macro and the scope of its definition. */
export interface DefinedMacro {
  readonly macro: Macro;
  readonly scope: Scope;
}

const definitions = new WeakMap<Callable, DefinedMacro>();

/** Returns the macro that a function calls; undefined if it calls none. */
export const definedMacro = (callee: Callable): DefinedMacro | undefined => definitions.get(callee);

/** Returns the function that a template calls. The body sees the scope of the macro's definition, not the caller's. */
export function callable(macro: Macro, scope: Scope): Callable {
  const callee: Callable = (args, keywords) => {
    const inner = scope.inner();
    const rest = new Map(keywords);
    bindParameters(macro, args, rest, inner);
    bindSpecialNames(macro, args, rest, inner);
    return printed(macro.body, inner);
  };
  definitions.set(callee, { macro, scope });
  return callee;
}

/** Sets all names before it evaluates the first default, so no default reads a variable outside the macro. */
function bindParameters(macro: Macro, args: readonly Value[], keywords: Map<string, Value>, scope: Scope): void {
  const missing: Parameter[] = [];
  for (const [index, parameter] of macro.parameters.entries()) {
    const { name } = parameter;
    const value = args[index] ?? keywords.get(name);
    if (index >= args.length) keywords.delete(name);
    if (value === undefined) missing.push(parameter);
    scope.set(name, value ?? new Undefined(() => `parameter '${name}' was not provided`));
  }
  for (const { name, byDefault } of missing) {
    if (byDefault !== undefined) scope.set(name, byDefault(scope));
  }
}

function bindSpecialNames(macro: Macro, args: readonly Value[], keywords: Map<string, Value>, scope: Scope): void {
  const { name, parameters, special } = macro;
  if (special.has("caller")) {
    scope.set("caller", keywords.get("caller") ?? new Undefined(() => "No caller defined"));
    keywords.delete("caller");
  }
  const [unknown] = keywords.keys();
  if (special.has("kwargs")) scope.set("kwargs", new Map(keywords));
  else if (unknown !== undefined) throw new RenderError(`macro '${name}' takes no keyword argument '${unknown}'`);
  if (special.has("varargs")) scope.set("varargs", new Tuple(args.slice(parameters.length)));
  else if (args.length > parameters.length) {
    throw new RenderError(`macro '${name}' takes not more than ${parameters.length} argument(s)`);
  }
}
