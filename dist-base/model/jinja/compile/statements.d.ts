import type { ForNode, Statement } from "../ast.js";
import type { Run } from "./compiled.js";
import { type ForLoop } from "./loop.js";
/**
 * Compiles statements to be run one after the other.
 *
 * @param inLoop true if `{% break %}` and `{% continue %}` have a loop to leave
 */
export declare function compileBlock(nodes: readonly Statement[], inLoop: boolean): Run;
/** Compiles the parts of a loop. The caller decides how they run: outermost loops end a part with each iteration. */
export declare function compileFor(node: ForNode, inLoop: boolean): ForLoop;
