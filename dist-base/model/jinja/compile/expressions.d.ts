import type { Expression, FilterNode } from "../ast.js";
import { type Value } from "../values/value.js";
import type { Evaluate } from "./compiled.js";
import type { Scope } from "./scope.js";
/** Compiles an expression once, so renderings do not walk its nodes again. */
export declare function compileExpression(node: Expression): Evaluate;
/** Compiles `| filter(…)`, for expressions and for blocks. */
export declare function compileFilter({ name, args }: FilterNode): (operand: Value, scope: Scope) => Value;
export declare function call(callee: Value, args: readonly Value[], keywords: ReadonlyMap<string, Value>): Value;
