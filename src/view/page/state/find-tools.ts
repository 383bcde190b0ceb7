import type { TranscriptInteraction } from "../../../transcript/format.js";

/** Returns the tools that a call told; undefined if they are those of its parent. */
export function findTools(
  { tools, tools_of }: TranscriptInteraction,
  interactions: readonly TranscriptInteraction[],
): TranscriptInteraction["tools"] {
  return tools ?? (tools_of === undefined ? undefined : interactions[tools_of]?.tools);
}
