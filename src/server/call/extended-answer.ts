import { isUtf8 } from "node:buffer";
import { showAsText } from "../../conversation/media.js";
import type { ChatModel } from "../../model/chat-model.js";
import { joinIds } from "../../model/tokenizer/join-ids.js";
import { inputLength, type RecordedInteraction } from "../../session/recorded-interaction.js";
import type { PromptTokens } from "../../session/turn/turn.js";
import { collapseRanges } from "../../support/collapse-ranges.js";
import type { Prompted } from "./call.js";

const WITH_SPECIAL = { skipSpecialTokens: false } as const;

/** A recorded answer, and what a request has added to it. */
export interface Extension {
  readonly interaction: RecordedInteraction;
  /** The tokens of the interaction, input and output together, with one token for each image, as templates show images. */
  readonly sequence: Int32Array;
  /** The text that follows the tokens in the request's message. */
  readonly addedText: string;
}

/**
 * Finds the recorded answer to which the client has added text.
 *
 * An answer that ended with the end-of-turn token does not count: the token is between the answer and the added text, and the
 * template would show it after that text.
 */
export function findExtension({ services: { model }, session, turn }: Prompted): Extension | undefined {
  const found = turn.findExtended();
  if (!found) return undefined;
  const interaction = session.interaction(found.index);
  const { lastTokenId, stopString, images = [] } = interaction;
  if (lastTokenId === undefined || model.stopTokenIds.includes(lastTokenId)) return undefined;
  const sequence = session.data.readSequence(found.index);
  const { promptTokens } = session.tokens.interaction(found.index);
  const sampled = model.decode(sequence.subarray(promptTokens), WITH_SPECIAL);
  const answer = showAsText(interaction.output[0]?.content ?? "");
  const message = showAsText(turn.messages[found.position]?.content ?? "");
  const addedText = readAddedText(sampled, { answer, stopString, message });
  return addedText === undefined ? undefined : { interaction, sequence: collapseRanges(sequence, images), addedText };
}

/**
 * Returns the text of a message that follows the sampled tokens. The stop string is among the tokens, but not in the answer; its last
 * token may contain further white space. If the message repeats it after the answer, it is not added again.
 *
 * @param sampled the text of all sampled tokens
 * @returns undefined if the sampled text does not fit the answer, or if the message has only a part of the stop string
 */
export function readAddedText(
  sampled: string,
  texts: { readonly answer: string; readonly stopString: string | undefined; readonly message: string },
): string | undefined {
  const { answer, stopString, message } = texts;
  const end = stopString === undefined ? sampled.length : sampled.indexOf(stopString);
  const shown = sampled.slice(0, Math.max(0, end));
  // The client has sent the beginning of an answer with a prefill, which is no part of the sampled text.
  if (end < 0 || !(shown.endsWith(answer) || answer.endsWith(shown))) return undefined;
  const rest = message.slice(answer.length);
  const hidden = sampled.slice(end);
  let common = 0;
  while (common < hidden.length && hidden[common] === rest[common]) common++;
  if (common === 0 || common === hidden.length) return rest.slice(common);
  const isWhole = stopString !== undefined && common >= stopString.length && hidden.slice(common).trim() === "";
  return isWhole ? rest.slice(common) : undefined;
}

/** Builds the prompt in `concat`; undefined if the template does not show the added text after the answer. */
export async function continueTurn(
  { services, turn }: Prompted,
  { interaction, addedText }: Extension,
  limit: number,
): Promise<PromptTokens | undefined> {
  const [output] = interaction.output;
  if (!output || interaction.toolsKey !== turn.toolsKey) return undefined;
  const { lastTokenId, templateArgs } = interaction;
  const recorded = { messageCount: inputLength(interaction) + 1, output, lastTokenId, templateArgs, addedText };
  const result = await services.model.continuation(turn.conversation, recorded, limit);
  return "pieces" in result ? toPrompt(interaction, result.pieces, addedText) : undefined;
}

/**
 * Builds the prompt in `hf`, if the rendered text begins with the text of the interaction's tokens: only the text after it is encoded
 * again. The texts are compared byte by byte after the tokens that both have at their start, because decoding a long conversation
 * takes a hundred milliseconds.
 */
export async function keepSampled(
  model: ChatModel,
  { interaction, sequence, addedText }: Extension,
  rendered: readonly Int32Array[],
  limit: number,
): Promise<PromptTokens | undefined> {
  const ids = joinIds(rendered);
  let common = 0;
  while (common < sequence.length && sequence[common] === ids[common]) common++;
  const recorded = readBytes(model, sequence.subarray(common));
  const shown = readBytes(model, ids.subarray(common));
  if (!shown.subarray(0, recorded.length).equals(recorded)) return undefined;
  const rest = shown.subarray(recorded.length);
  // The recorded tokens may end within a character.
  if (!isUtf8(rest)) return undefined;
  const pieces = await model.encodeAfter(sequence.subarray(-1), rest.toString(), limit);
  return pieces && toPrompt(interaction, pieces, addedText);
}

function readBytes(model: ChatModel, ids: Int32Array): Buffer {
  return Buffer.concat(Array.from(ids, (id) => model.tokenBytes(id)));
}

function toPrompt({ index }: RecordedInteraction, pieces: readonly Int32Array[], addedText: string): PromptTokens {
  // Without added text, the client has only put the stop string back, which is among the recorded tokens.
  return { pieces, continues: { index, rule: "continuation" }, extended: addedText !== "" };
}
