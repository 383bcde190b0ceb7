import type { Program } from "../ast.js";
import type { Steps } from "./compiled.js";
import type { Scope } from "./scope.js";
/**
 * Compiles a template to a function that returns what it prints, in parts: one for each iteration of an outermost loop,
 * and one for each statement between those loops. Outermost loops, and those in an outermost `{% if %}`, run in several steps.
 */
export declare function compileProgram({ body }: Program): (scope: Scope) => Steps<string[]>;
