import type { Program } from "./ast.js";
/**
 * Finds an unsupported feature that a template uses, even in a branch that rarely runs. Otherwise the template would work
 * for a while and then fail.
 *
 * @returns a description of the feature; undefined if all are supported
 */
export declare function findUnsupported(root: Program): string | undefined;
