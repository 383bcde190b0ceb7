import type { ParameterNode } from "../ast.js";
import { type Callable } from "../values/value.js";
import type { Evaluate } from "./compiled.js";
import { type Run } from "./compiled.js";
import type { Scope } from "./scope.js";
import type { SpecialName } from "./special-names.js";
/** The compiled parts of a macro, or of the body of a `{% call %}`. */
export interface Macro {
    /** Name for error messages. The body of a call is named `None`, as in Jinja2. */
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
export declare function compileParameters(nodes: readonly ParameterNode[]): Parameter[];
/** Returns the function that a template calls. The body sees the scope of the macro's definition, not the caller's. */
export declare function callable(macro: Macro, scope: Scope): Callable;
export {};
