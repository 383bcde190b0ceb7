import type { Tool } from "../../../conversation/message.js";
import { type ReasoningBlock } from "../reasoning/reasoning-block.js";
import { type CallStructure } from "./call-structure.js";
import type { WholeStructure } from "./whole-structure.js";
/** The rules that an output must follow. */
export interface OutputRules {
    /** The tools that the prompt shows. */
    readonly tools: readonly Tool[];
    /** The answer must be a call. Otherwise it may be text, and its calls are well formed. */
    readonly mustCall: boolean;
    /** Tools whose calls must have the arguments of their schema. If the answer must be a call, all tools are strict. */
    readonly strict: ReadonlySet<string>;
    /** At most one call. */
    readonly single: boolean;
    /** JSON text of the schema that an answer without calls must match. */
    readonly jsonSchema: string | undefined;
    /** The prompt's last tokens as text. */
    readonly promptEnd: string;
}
/** The description of an output from which an engine builds its grammar. */
export type OutputStructure = {
    readonly kind: "json_schema";
    readonly schema: string;
}
/** JSON text of a structural tag. */
 | {
    readonly kind: "structural_tag";
    readonly tag: string;
};
/** When a grammar describes the calls of a family: if an answer may begin like a call, only if a call is required. */
export type Enforcement = "always" | "if required" | "never";
export declare function findEnforcement(structure: CallStructure | WholeStructure | undefined): Enforcement;
/** Returns the structure that follows the rules; undefined if no grammar describes the family's calls. */
export declare function buildOutputStructure(structure: CallStructure | WholeStructure | undefined, reasoning: ReasoningBlock | undefined, rules: OutputRules): OutputStructure | undefined;
