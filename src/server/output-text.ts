import type { ChatModel } from "../conversation/model.js";
import type { Finish, SamplingParams } from "../engine/engine.js";

/**
 * The text of an output as the agent sees it: without special tokens, without the token that ended the turn, and cut
 * before the stop string. The tokens themselves are recorded whole.
 */
export function outputText(
  model: ChatModel,
  ids: Int32Array,
  finish: Finish,
  { stop, stopTokenIds }: Pick<SamplingParams, "stop" | "stopTokenIds">,
): string {
  const last = ids.at(-1);
  const endedByToken = finish.reason === "stop" && last !== undefined && stopTokenIds.includes(last);
  const text = model.decode(endedByToken ? ids.subarray(0, -1) : ids, { skipSpecialTokens: true });
  const cuts = stop.map((each) => text.indexOf(each)).filter((at) => at >= 0);
  return cuts.length > 0 ? text.slice(0, Math.min(...cuts)) : text;
}
