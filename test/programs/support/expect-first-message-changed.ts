import { expect } from "vitest";
import { decode } from "./qwen3.js";
import type { LoggedCall } from "./scripted-model.js";

const TURN = "<|im_start|>";
const OF_ASSISTANT = "assistant\n";

/**
 * Expects that the first call of a resumed conversation repeats everything that the earlier conversation was shown, except for the user's
 * first message. The model's own turns are not compared, because a chat template can leave out earlier reasoning.
 */
export function expectFirstMessageChanged(before: readonly LoggedCall[], after: readonly LoggedCall[]): void {
  const shown = readTurns(before.at(-1));
  const repeated = readTurns(after[0]).slice(0, shown.length);
  const changed = shown.flatMap((turn, index) => (turn === repeated[index] ? [] : [index]));
  const firstOfUser = shown.findIndex((turn) => turn.startsWith("user\n"));
  expect.soft(changed).toEqual([firstOfUser]);
}

/** Returns the turns of a prompt, except for those of the model. */
function readTurns(call: LoggedCall | undefined): string[] {
  const turns = decode(call?.prompt ?? [])
    .split(TURN)
    .slice(1);
  return turns.filter((turn) => !turn.startsWith(OF_ASSISTANT));
}
