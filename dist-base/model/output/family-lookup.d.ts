import type { CallTraits, Family, HasMarker, ReasoningTraits, WholeOutputFamily } from "./family.js";
import { FAMILIES } from "./family-registry.js";
import type { ReasoningBlock } from "./reasoning/reasoning-block.js";
import type { CallStructure } from "./structure/call-structure.js";
import type { WholeStructure } from "./structure/whole-structure.js";
import type { CallSyntax } from "./syntax/call-syntax.js";
type Known = (typeof FAMILIES)[number];
/** Names of the families that have calls: the values of `tool_call_parser` beside `auto` and `none`. */
export type ToolFamily = Extract<Known, {
    readonly calls: CallTraits;
}>["name"];
/** Names of the families that have reasoning: the values of `reasoning_parser` beside `auto` and `none`. */
export type ReasoningFamily = Extract<Known, {
    readonly reasoning: ReasoningTraits;
}>["name"];
/** The families whose markers are searched for in a model's outputs. `none` leaves the markers in the text. */
export interface OutputFamilies {
    readonly tools: ToolFamily | "none";
    readonly reasoning: ReasoningFamily | "none";
}
export declare const TOOL_FAMILIES: ReadonlyMap<ToolFamily, Family>;
export declare const REASONING_FAMILIES: ReadonlyMap<ReasoningFamily, Family>;
export declare function isReasoningFamily(name: string | undefined): name is ReasoningFamily;
/** Returns the family if one reader reads its whole output; otherwise undefined. */
export declare function findWholeOutput(name: ToolFamily | ReasoningFamily | "none"): WholeOutputFamily | undefined;
/** Returns how to read a family's calls; undefined for `none` and if one reader reads the family's whole output. */
export declare function findCallSyntax(name: ToolFamily | "none"): CallSyntax | undefined;
/**
 * Returns the structure of a family's calls, or of its whole outputs, for an engine's grammar; undefined if no grammar
 * describes them.
 */
export declare function findCallStructure(name: ToolFamily | "none", has: HasMarker): CallStructure | WholeStructure | undefined;
/** Returns the markers of a family's reasoning; undefined if it has none or if one reader reads its whole output. */
export declare function findReasoningBlock(name: ReasoningFamily | "none"): ReasoningBlock | undefined;
export {};
