import type { RecordedCall } from "./encode-facts.js";
import type { Interaction } from "./interaction.js";

/**
 * Returns an interaction of these facts and the other fields.
 *
 * It lists every field. Spreads would cost ten kilobytes per call, because V8 creates a hidden class for each field after a spread.
 */
export function createInteraction(facts: RecordedCall, other: Omit<Interaction, keyof RecordedCall>): Interaction {
  return {
    index: other.index,
    id: other.id,
    parent: other.parent,
    compactedFrom: other.compactedFrom,
    undeclaredCalls: other.undeclaredCalls,
    tokenExact: other.tokenExact,
    input: other.input,
    output: other.output,
    lastTokenId: other.lastTokenId,
    fallback: other.fallback,
    toolsKey: other.toolsKey,
    toolsBytes: other.toolsBytes,
    templateArgs: other.templateArgs,
    api: facts.api,
    finishReason: facts.finishReason,
    createdAt: facts.createdAt,
    sampling: facts.sampling,
    requestedModel: facts.requestedModel,
    droppedTools: facts.droppedTools,
    toolCount: facts.toolCount,
    tag: facts.tag,
    hints: facts.hints,
    placeholders: facts.placeholders,
    choice: facts.choice,
    choices: facts.choices,
    attempt: facts.attempt,
    resumes: facts.resumes,
    versionsUncertain: facts.versionsUncertain,
    startedAt: facts.startedAt,
    extended: facts.extended,
    stopString: facts.stopString,
  };
}
