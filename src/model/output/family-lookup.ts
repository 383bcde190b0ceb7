import type { CallTraits, Family, HasMarker, ReasoningTraits, WholeOutputFamily } from "./family.js";
import { FAMILIES } from "./family-registry.js";
import type { ReasoningBlock } from "./reasoning/reasoning-block.js";
import type { CallStructure } from "./structure/call-structure.js";
import type { WholeStructure } from "./structure/whole-structure.js";
import type { CallSyntax } from "./syntax/call-syntax.js";

type Known = (typeof FAMILIES)[number];

/** Names of the families that have calls: the values of `tool_call_parser` beside `auto` and `none`. */
export type ToolFamily = Extract<Known, { readonly calls: CallTraits }>["name"];
/** Names of the families that have reasoning: the values of `reasoning_parser` beside `auto` and `none`. */
export type ReasoningFamily = Extract<Known, { readonly reasoning: ReasoningTraits }>["name"];

/** The families whose markers are searched for in a model's outputs. `none` leaves the markers in the text. */
export interface OutputFamilies {
  readonly tools: ToolFamily | "none";
  readonly reasoning: ReasoningFamily | "none";
}

export const TOOL_FAMILIES: ReadonlyMap<ToolFamily, Family> = new Map(
  FAMILIES.filter((family) => "calls" in family).map((family) => [family.name, family]),
);

export const REASONING_FAMILIES: ReadonlyMap<ReasoningFamily, Family> = new Map(
  FAMILIES.filter((family) => "reasoning" in family).map((family) => [family.name, family]),
);

export function isReasoningFamily(name: string | undefined): name is ReasoningFamily {
  return REASONING_FAMILIES.has(name as ReasoningFamily);
}

/** Returns the family if one reader reads its whole output; otherwise undefined. */
export function findWholeOutput(name: ToolFamily | ReasoningFamily | "none"): WholeOutputFamily | undefined {
  const family = FAMILIES.find((candidate) => candidate.name === name);
  return family && "output" in family ? family : undefined;
}

/** Returns how to read a family's calls; undefined for `none` and if one reader reads the family's whole output. */
export function findCallSyntax(name: ToolFamily | "none"): CallSyntax | undefined {
  return findBlockCalls(name)?.syntax;
}

/**
 * Returns the structure of a family's calls, or of its whole outputs, for an engine's grammar; undefined if no grammar
 * describes them.
 */
export function findCallStructure(
  name: ToolFamily | "none",
  has: HasMarker,
): CallStructure | WholeStructure | undefined {
  const whole = findWholeOutput(name);
  if (whole) return whole.structure;
  const structure = findBlockCalls(name)?.structure;
  return typeof structure === "function" ? structure(has) : structure;
}

/** Returns the markers of a family's reasoning; undefined if it has none or if one reader reads its whole output. */
export function findReasoningBlock(name: ReasoningFamily | "none"): ReasoningBlock | undefined {
  const family = name === "none" ? undefined : REASONING_FAMILIES.get(name);
  return family === undefined || "output" in family ? undefined : family.reasoning?.block;
}

function findBlockCalls(name: ToolFamily | "none") {
  const family = name === "none" ? undefined : TOOL_FAMILIES.get(name);
  return family === undefined || "output" in family ? undefined : family.calls;
}
