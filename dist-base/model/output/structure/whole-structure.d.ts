import type { Tool } from "../../../conversation/message.js";
import type { Format } from "./format.js";
/** The required content of an output. */
export interface WholeRules {
    /** The tools that may be called. Tools whose arguments are not enforced have no schema. */
    readonly tools: readonly Tool[];
    readonly mustCall: boolean;
    /** At most one call. */
    readonly single: boolean;
    /** The format of an answer without calls. Undefined: any text. */
    readonly answer: Format | undefined;
    /** The prompt's last tokens as text. */
    readonly promptEnd: string;
}
/** How models of a family write whole outputs, with reasoning, text and calls, as far as a grammar can describe it. */
export interface WholeStructure {
    /** Returns the description; undefined if the output begins where the family's description does not. */
    readonly describeOutput: (rules: WholeRules) => Format | undefined;
}
