import type { CompletedCall } from "./completed-call.js";
import type { RecordedCall } from "./encode-facts.js";
import { firstBytes } from "./first-bytes.js";

/**
 * Maximum length of a recorded model name, in bytes of UTF-8. The agent chooses the name, so it can be of any length.
 */
const MODEL_NAME_BYTES = 256;

/** Maximum length of a recorded stop string, in characters. An answer that ended with a longer one cannot be extended. */
const MAX_STOP_STRING = 256;

/** Returns the facts of a completed call that are recorded besides its tokens and messages. */
export function pickCallFacts(call: CompletedCall, createdAt: number): RecordedCall {
  const { requestedModel, stopString } = call;
  return {
    api: call.api,
    finishReason: call.finishReason,
    createdAt,
    sampling: call.sampling,
    requestedModel: requestedModel === undefined ? undefined : firstBytes(requestedModel, MODEL_NAME_BYTES),
    droppedTools: call.droppedTools,
    toolCount: call.toolCount,
    tag: call.tag,
    hints: call.hints,
    placeholders: call.placeholders,
    choice: call.choice,
    choices: call.choices,
    attempt: call.attempt,
    resumes: call.resumes,
    versionsUncertain: call.versionsUncertain,
    startedAt: call.startedAt,
    extended: call.extended,
    stopString: (stopString?.length ?? 0) <= MAX_STOP_STRING ? stopString : undefined,
  };
}
