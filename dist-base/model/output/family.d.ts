import type { ReasoningBlock } from "./reasoning/reasoning-block.js";
import type { CallStructure } from "./structure/call-structure.js";
import type { WholeStructure } from "./structure/whole-structure.js";
import type { CallSyntax } from "./syntax/call-syntax.js";
import type { OutputSyntax } from "./syntax/output-syntax.js";
/** How a family of models writes its outputs, and how the family is detected. Each family has one file in `families/`. */
export type Family = BlockFamily | WholeOutputFamily;
/**
 * A family with a block of reasoning at the start of the output and calls in the text after it, or with only one of
 * them.
 */
export interface BlockFamily {
    /** The value of `tool_call_parser` and `reasoning_parser` that selects the family: its file name with `_` for `-`. */
    readonly name: string;
    readonly calls?: BlockCalls;
    readonly reasoning?: BlockReasoning;
}
/** A family with a special format of the whole output, which one reader reads. */
export interface WholeOutputFamily {
    readonly name: string;
    readonly output: OutputSyntax;
    /** The structure of outputs for an engine's grammar. Undefined if xgrammar cannot describe them. */
    readonly structure?: WholeStructure;
    readonly calls: CallTraits;
    readonly reasoning: ReasoningTraits;
}
/** Returns true if the model has a marker: as an added token of its vocabulary, or in its chat template. */
export type HasMarker = (marker: string) => boolean;
export interface CallTraits {
    /** The family's row in the table of docs/explanation/output-parsing.md. */
    readonly docs: CallDocs;
    readonly detection: CallDetection;
}
export interface BlockCalls extends CallTraits {
    readonly syntax: CallSyntax;
    /** The structure of the calls for an engine's grammar. Undefined if xgrammar cannot describe them. */
    readonly structure?: CallStructure | ((has: HasMarker) => CallStructure);
    /** Name of the family that reads the `<think>` blocks of these models, if the default (`deepseek_v3`) does not. */
    readonly thinksLike?: string;
}
export interface CallDocs {
    readonly models: string;
    /** An example of a call, in Markdown. */
    readonly call: string;
    /**
     * The form of arguments. `text`: typed by the tool's schema. `text or JSON`: the same, but JSON is also recognized if
     * the schema has no type. `marked text`: the model marks each argument as text or JSON.
     */
    readonly arguments: "JSON" | "Python" | "text" | "text or JSON" | "marked text";
}
export interface CallDetection {
    /** The chat template contains all of these texts. */
    readonly template: readonly string[];
    /** Another template for the same models contains all of these texts instead. */
    readonly otherTemplate?: readonly string[];
    /** The chat template contains none of these texts. */
    readonly templateLacks?: readonly string[];
    /** Templates of other families contain these texts too. Families with unique texts are tried first. */
    readonly isShared?: true;
    /** Values of config.json's `model_type`. They are used if the template matches no family. */
    readonly modelTypes?: readonly string[];
}
export interface ReasoningTraits {
    /** The markers, in Markdown, for the table in docs/explanation/output-parsing.md. */
    readonly docs: string;
    /** If undefined, the family is chosen only by name or by the calls of its models. */
    readonly detection?: ReasoningDetection;
}
export interface BlockReasoning extends ReasoningTraits {
    readonly block: ReasoningBlock;
}
export interface ReasoningDetection {
    /** The chat template or the vocabulary has one of these markers. */
    readonly markers: readonly string[];
    /** Several families have these markers: the family of the calls decides, this one is the default. */
    readonly isShared?: true;
}
