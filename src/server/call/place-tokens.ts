import type { ChatModel } from "../../model/chat-model.js";
import { RequestError } from "../../protocols/request-error.js";
import type { RecordedInteraction } from "../../session/recorded-interaction.js";
import type { SessionData } from "../../session/session-data.js";
import { shareTokens } from "../../session/turn/prompt-images.js";
import { eventLoop } from "../../support/async/event-loop.js";
import type { Call, GivenTokens } from "./call.js";
import { contextLengthError, readContextLimit } from "./prompt.js";

/** Tokens that take less than a millisecond to decode. */
const DECODED_AT_ONCE = 4096;

/**
 * Finds the place of a prompt of token ids in the session's tree: its parent is the interaction whose whole sequence is the longest
 * prefix of the ids.
 *
 * A recorded call has messages. Those of this one are the messages and the answer of its parent, then a user message with the text
 * of the other tokens, special tokens included. They serve transcripts only, because its own place never follows from messages.
 *
 * @throws ApiError `context_length_exceeded`
 * @throws RequestError if an id is not in the model's vocabulary, or it is not known which images the ids show
 */
export async function placeTokens({ services, session, api }: Call, ids: Int32Array): Promise<GivenTokens> {
  const { model } = services;
  const param = api === "generate" ? "token_ids" : "prompt";
  const unknown = ids.find((id) => id >= model.vocabularySize);
  if (unknown !== undefined) {
    throw new RequestError(param, `${param} must have token ids below ${model.vocabularySize}; received ${unknown}.`);
  }
  const limit = await readContextLimit(services);
  if (ids.length >= limit) throw contextLengthError({ api, limit, promptTokens: ids.length, counted: "all" });
  session.requireTokens();
  const { data } = session;
  const found = data.tokens.findSequence(ids);
  const index = found !== undefined && isAnswered(services, data.log.at(found)) ? found : undefined;
  if (index !== undefined && hasTwin(data, index)) {
    const message = `${param} begins with the ids of several calls whose images differ. Send the conversation as messages.`;
    throw new RequestError(param, message);
  }
  const parent = index === undefined ? undefined : ({ index, rule: "continuation" } as const);
  const rest = ids.subarray(index === undefined ? 0 : sequenceLength(data.tokens.interaction(index)));
  const inherited = data.log.readInherited(parent);
  const content = await decode(model, rest);
  return { place: { parent, rest }, conversation: { messages: [...inherited, { role: "user", content }] } };
}

/** Returns true if the model that answers the call answered the interaction, or if there is only one model. */
function isAnswered({ answering }: Call["services"], { requestedModel }: RecordedInteraction): boolean {
  return answering === undefined || requestedModel === answering.name;
}

/** Returns true if an older interaction has the same ids with other images: images of one size have equal ids. */
function hasTwin({ log, tokens }: SessionData, index: number): boolean {
  const { images } = log.at(index);
  if (!images) return false;
  const length = sequenceLength(tokens.interaction(index));
  const ids = readSequence(tokens, index);
  for (let other = index - 1; other >= 0; other--) {
    const isOther =
      sequenceLength(tokens.interaction(other)) === length && !shareTokens(length, images, log.at(other).images);
    if (isOther && Buffer.from(readSequence(tokens, other).buffer).equals(Buffer.from(ids.buffer))) return true;
  }
  return false;
}

function readSequence(tokens: SessionData["tokens"], index: number): Int32Array {
  const prompt = tokens.prompt([], index);
  try {
    return prompt.tokens().slice();
  } finally {
    prompt.release();
  }
}

const sequenceLength = ({ promptTokens, completionTokens }: { promptTokens: number; completionTokens: number }) =>
  promptTokens + completionTokens;

/** Returns the text of tokens. Their bytes are joined, so that a character of several tokens is whole wherever the work is split. */
async function decode(model: ChatModel, ids: Int32Array): Promise<string> {
  const bytes: Uint8Array[] = [];
  for (let from = 0; from < ids.length; from += DECODED_AT_ONCE) {
    if (from > 0) await eventLoop.yield();
    for (const id of ids.subarray(from, from + DECODED_AT_ONCE)) bytes.push(model.tokenBytes(id));
  }
  return Buffer.concat(bytes).toString("utf8");
}
