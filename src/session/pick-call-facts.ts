import type { CallFacts } from "./interaction.js";

/**
 * Maximum length of a recorded model name, in bytes of UTF-8. The agent chooses the name, so it can be of any length.
 */
const MODEL_NAME_BYTES = 256;

/** Returns the facts of a call that are recorded besides its tokens and messages. Absent fields stay absent. */
export function pickCallFacts({
  sampling,
  requestedModel,
  droppedTools,
  toolCount,
  tag,
  hints,
  placeholders,
  choice,
  choices,
  attempt,
  resumes,
  startedAt,
}: CallFacts): CallFacts {
  return {
    ...(sampling === undefined ? {} : { sampling }),
    ...(requestedModel === undefined ? {} : { requestedModel: firstBytes(requestedModel, MODEL_NAME_BYTES) }),
    ...(droppedTools === undefined ? {} : { droppedTools }),
    ...(toolCount === undefined ? {} : { toolCount }),
    ...(tag === undefined ? {} : { tag }),
    ...(hints === undefined ? {} : { hints }),
    ...(placeholders === undefined ? {} : { placeholders }),
    ...(choice === undefined ? {} : { choice }),
    ...(choices === undefined ? {} : { choices }),
    ...(attempt === undefined ? {} : { attempt }),
    ...(resumes === undefined ? {} : { resumes }),
    ...(startedAt === undefined ? {} : { startedAt }),
  };
}

/** Returns the longest prefix of whole characters that takes at most `bytes` bytes of UTF-8. */
export function firstBytes(text: string, bytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return text.slice(0, read).toWellFormed();
}
