import { decode } from "./qwen3.js";
import type { LoggedCall } from "./scripted-model.js";

const TURN = "<|im_start|>";
const OF_ASSISTANT = "assistant\n";

/** The changes that a program makes in a conversation that it resumes. With each of them, the conversation begins a new tree. */
export type ResumedChange = "system prompt" | "first message" | "later message";

/**
 * Compares what the first call of a resumed conversation was shown with what the last call before it was shown. The model's own turns are
 * not compared, because a chat template can leave out earlier reasoning.
 */
export function findResumedChanges(before: readonly LoggedCall[], after: readonly LoggedCall[]): ResumedChange[] {
  const shown = readTurns(before.at(-1));
  const repeated = readTurns(after[0]);
  const firstOfUser = shown.findIndex((turn) => turn.startsWith("user\n"));
  return shown.flatMap((turn, index): ResumedChange[] => {
    if (turn === repeated[index]) return [];
    if (index === firstOfUser) return ["first message"];
    return [index === 0 ? "system prompt" : "later message"];
  });
}

/** Returns the turns of a prompt, except for those of the model. */
function readTurns(call: LoggedCall | undefined): string[] {
  const turns = decode(call?.prompt ?? [])
    .split(TURN)
    .slice(1);
  return turns.filter((turn) => !turn.startsWith(OF_ASSISTANT));
}
