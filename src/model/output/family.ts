import type { ReasoningBlock } from "./reasoning/reasoning-block.js";
import type { CallStructure } from "./structure/call-structure.js";
import type { CallSyntax } from "./syntax/call-syntax.js";
import type { OutputSyntax } from "./syntax/output-syntax.js";

/** How a family of models writes its outputs, and how the family is recognized. One file of `families/` each. */
export type Family = BlockFamily | WholeOutputFamily;

/**
 * Reasoning is a block at the start of the output, calls stand in the text behind it. A family may have only one of
 * both.
 */
export interface BlockFamily {
  /** The value of `tool_call_parser` and `reasoning_parser` that selects the family: its file name with `_` for `-`. */
  readonly name: string;
  readonly calls?: BlockCalls;
  readonly reasoning?: BlockReasoning;
}

/** The whole output has a form of its own, which one reader reads. Its calls cannot be enforced by an engine. */
export interface WholeOutputFamily {
  readonly name: string;
  readonly output: OutputSyntax;
  readonly calls: CallTraits;
  readonly reasoning: ReasoningTraits;
}

/** Whether the model has a marker: as an added token of its vocabulary, or in its chat template. */
export type HasMarker = (marker: string) => boolean;

export interface CallTraits {
  /** The family's row in the table of docs/explanation/output-parsing.md. */
  readonly docs: CallDocs;
  readonly detection: CallDetection;
}

export interface BlockCalls extends CallTraits {
  readonly syntax: CallSyntax;
  /** How an engine is told to write such calls. None if no grammar of xgrammar describes them. */
  readonly structure?: CallStructure | ((has: HasMarker) => CallStructure);
  /** Name of the family that reads the `<think>` blocks of these models, if the default (`deepseek_v3`) does not. */
  readonly thinksLike?: string;
}

export interface CallDocs {
  readonly models: string;
  /** What a call looks like, in Markdown. */
  readonly call: string;
  /**
   * How arguments are spelled. `text`: typed by the tool's schema. `text or JSON`: the same, but JSON is also
   * recognized if the schema has no type. `marked text`: the model says of each argument whether it is text or JSON.
   */
  readonly arguments: "JSON" | "Python" | "text" | "text or JSON" | "marked text";
}

export interface CallDetection {
  /** The chat template contains all of these texts. */
  readonly template: readonly string[];
  /** The chat template contains none of these texts. */
  readonly templateLacks?: readonly string[];
  /** Templates of other families contain these texts too. Families with texts of their own are tried first. */
  readonly isShared?: true;
  /** Values of config.json's `model_type`; they count if the template matches no family. */
  readonly modelTypes?: readonly string[];
}

export interface ReasoningTraits {
  /** The markers, in Markdown, for the table in docs/explanation/output-parsing.md. */
  readonly docs: string;
  /** Without it the family is chosen only by name or by the calls of its models. */
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
