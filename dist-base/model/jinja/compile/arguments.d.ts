import type { ArgumentNode, Expression } from "../ast.js";
import { type Keywords, type Value } from "../values/value.js";
import type { Evaluate } from "./compiled.js";
import type { Scope } from "./scope.js";
/** The compiled arguments of a call. As in Python, all positional ones are evaluated before the first keyword. */
export interface Arguments {
    readonly positional: (scope: Scope) => readonly Value[];
    readonly keywords: (scope: Scope) => Keywords;
}
/** @param compile compiles the expressions in the arguments */
export declare function compileArguments(nodes: readonly ArgumentNode[], compile: (node: Expression) => Evaluate): Arguments;
