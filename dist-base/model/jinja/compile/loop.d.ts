import { type Value } from "../values/value.js";
import type { Assign } from "./assignment.js";
import type { Run, Steps } from "./compiled.js";
import type { Output } from "./output.js";
import type { Scope } from "./scope.js";
/** The compiled parts of a `{% for %}`. */
export interface ForLoop {
    readonly items: (scope: Scope) => readonly Value[];
    readonly assign: Assign;
    readonly body: Run;
    /** Runs if there are no items. */
    readonly otherwise: Run;
}
/** Runs the body for each item in a scope of its own, so an iteration does not see variables of the previous one. */
export declare function runLoop({ items: evaluate, assign, body, otherwise }: ForLoop): Run;
/** Runs like {@link runLoop}, in steps of some iterations. */
export declare function runLoopInSteps({ items: evaluate, assign, body, otherwise }: ForLoop, scope: Scope, output: Output): Steps<void>;
