import type { Statement } from "../ast.js";
/** Names that are set for a macro in addition to its parameters, if its body reads them. */
export type SpecialName = "caller" | "kwargs" | "varargs";
/**
 * Returns the special names that a body reads before it assigns them. Like in Jinja2, the order in the text counts, not
 * the order in which the body runs.
 */
export declare function specialNames(body: readonly Statement[]): ReadonlySet<SpecialName>;
