import type { Target } from "../ast.js";
import type { Value } from "../values/value.js";
import type { Scope } from "./scope.js";
/** A compiled target of an assignment: assigns a value to it. */
export type Assign = (scope: Scope, value: Value) => void;
/** Compiles a name, an attribute of a namespace, or a tuple of them that unpacks a value. */
export declare function compileTarget(target: Target): Assign;
