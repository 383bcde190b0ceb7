import type { Api } from "../../facts/call-facts.js";
import { ApiError } from "../../http/errors.js";
import { type ChatModel, TemplateError } from "../../model/chat-model.js";
import { TooManyTokensError } from "../../model/tokenizer/encode-within.js";
import type { ParentMatch } from "../../native/contract.js";
import type { ModelRequest } from "../../protocols/model-request.js";
import { inputLength } from "../../session/recorded-interaction.js";
import type { Session } from "../../session/session.js";
import type { PromptTokens, Turn } from "../../session/turn/turn.js";
import { eventLoop } from "../../support/async/event-loop.js";
import { runInIterations } from "../../support/async/run-steps.js";
import type { CallServices } from "../services.js";
import { type Call, isLongPrompt, type Prompted } from "./call.js";
import { continueTurn, findExtension, keepSampled } from "./extended-answer.js";
import { expandPrompt } from "./images.js";

/** Number of tokens that {@link decodePromptEnd} decodes. No template's generation prompt is longer. */
const END_TOKENS = 32;

const UNLIMITED = Number.POSITIVE_INFINITY;

/** Returns the number of tokens that prompt and output of one call may have together. */
export async function readContextLimit({
  engine,
  settings,
}: Pick<CallServices, "engine" | "settings">): Promise<number> {
  return Math.min(settings.engineMaxTokens ?? Number.POSITIVE_INFINITY, await engine.contextLength());
}

/**
 * Builds the prompt of a call. With `chat_template_type: concat` it is the parent's tokens as generated, followed by the new
 * messages. Without a parent, and with `hf`, the template renders all messages. With both, an answer to which the client has added text
 * keeps its tokens.
 *
 * @param limit tokens that prompt and output may have together
 * @throws ApiError `context_length_exceeded` if there is no room for an output token
 */
export async function buildPrompt(call: Call, limit: number): Promise<void> {
  const { turn, api } = call;
  const encoded = await encodeWithinContext(call, limit);
  let tokens = call.services.imageTokens ? await expandPrompt(call, encoded) : encoded;
  if (call.isCold) await call.yield();
  call.abort.throwIfAborted();
  let promptTokens = turn.countTokens(tokens);
  if (promptTokens >= limit && tokens.images) {
    // The engine may make images smaller than the model's files say.
    tokens = await expandPrompt(call, encoded, "engine");
    promptTokens = turn.countTokens(tokens);
  }
  if (promptTokens >= limit) throw contextLengthError({ api, limit, promptTokens, counted: "all" });
  turn.buildPrompt(tokens);
}

/** Returns the prompt's last tokens as text. A template may open the model's reasoning there. */
export function decodePromptEnd(model: ChatModel, turn: Turn): string {
  return model.decode(turn.readPromptEnd(END_TOKENS), { skipSpecialTokens: false });
}

/** Returns the number of tokens that the prompt of this conversation would have now. It may exceed the context. */
export async function countPromptTokens(
  services: CallServices,
  session: Session,
  { conversation, images }: Pick<ModelRequest, "conversation" | "images">,
): Promise<number> {
  const isLong = isLongPrompt(services, conversation);
  if (isLong) await eventLoop.yield();
  session.requireTokens();
  const { answering } = services;
  const turn = await runInIterations(session.begin(conversation, undefined, undefined, answering?.name));
  session.requireTokens();
  const prompted = { services, session, turn, isLong, request: { images } };
  const tokens = await expandPrompt(prompted, await encodePieces(prompted, UNLIMITED));
  session.requireTokens();
  return turn.countTokens(tokens);
}

async function encodeWithinContext(call: Call, limit: number): Promise<PromptTokens> {
  try {
    return await encodePieces(call, limit);
  } catch (error) {
    if (!(error instanceof TooManyTokensError)) throw error;
    throw contextLengthError({ api: call.api, limit, promptTokens: error.tokens, counted: "part" });
  }
}

async function encodePieces(prompted: Prompted, limit: number): Promise<PromptTokens> {
  const { services, turn } = prompted;
  const { settings, model } = services;
  if (turn.place) return { pieces: [turn.place.rest], continues: turn.place.parent };
  const extension = findExtension(prompted);
  if (settings.chatTemplateType !== "concat") {
    const pieces = await renderOrAdvise(prompted, limit);
    return (extension && (await keepSampled(model, extension, pieces, limit))) ?? { pieces };
  }
  const extended = extension && (await continueTurn(prompted, extension, limit));
  if (extended) return extended;
  const { parent } = turn;
  if (parent === undefined) {
    const fallback = turn.changesSystem() ? "system_changed" : undefined;
    return { pieces: await renderAll(prompted, limit), fallback };
  }
  const continuation = await encodeContinuation(prompted, parent, limit);
  if ("fallback" in continuation) {
    return { pieces: await renderAll(prompted, limit), fallback: continuation.fallback };
  }
  return { pieces: continuation.pieces, continues: parent };
}

async function renderAll({ services, session, turn, isLong }: Prompted, limit: number): Promise<Int32Array[]> {
  const { model, conversations } = services;
  if (isLong) await eventLoop.yield();
  const { idPieces } = await model.prompt(turn.conversation, {
    known: conversations.prompts.forSession(session),
    maxTokens: limit,
  });
  return [...idPieces];
}

/**
 * Renders all messages. If the template refuses an answer that the model wrote, the error says that `concat` continues it.
 *
 * @throws TemplateError
 */
async function renderOrAdvise(prompted: Prompted, limit: number): Promise<Int32Array[]> {
  try {
    return await renderAll(prompted, limit);
  } catch (error) {
    const { parent } = prompted.turn;
    if (!(error instanceof TemplateError) || parent === undefined) throw error;
    const continuation = await encodeContinuation(prompted, parent, limit);
    if ("fallback" in continuation) throw error;
    const advice = "With `rollout.agent.chat_template_type: concat`, the answer is continued as the model wrote it.";
    throw new TemplateError(`${error.message} ${advice}`, { cause: error });
  }
}

/** Returns the tokens that follow the parent's tokens, or why the prompt cannot continue them. */
async function encodeContinuation(
  { services, session, turn }: Prompted,
  parent: ParentMatch,
  limit: number,
): Promise<{ readonly pieces: Int32Array[] } | { readonly fallback: string }> {
  if (parent.rule !== "continuation") return { fallback: "history_rewritten" };
  const interaction = session.interaction(parent.index);
  const { output, lastTokenId, toolsKey, templateArgs } = interaction;
  const [answer] = output;
  if (!answer) return { fallback: "no_answer" };
  if (toolsKey !== turn.toolsKey) return { fallback: "tools_changed" };
  const messageCount = inputLength(interaction) + output.length;
  const recorded = { messageCount, output: answer, lastTokenId, templateArgs };
  return services.model.continuation(turn.conversation, recorded, limit);
}

interface LongPrompt {
  readonly api: Api;
  readonly limit: number;
  readonly promptTokens: number;
  /** `part`: the prompt was not encoded to its end, so it has more than `promptTokens`. */
  readonly counted: "all" | "part";
}

/**
 * Returns the error for a prompt that leaves no room for an output token. Clients shorten their history when they recognize
 * this error by its text, so the text is that of each protocol's own API.
 */
export function contextLengthError(prompt: LongPrompt): ApiError {
  const { api, limit, promptTokens } = prompt;
  const details = { prompt_tokens: promptTokens, context_length: limit };
  return new ApiError("context_length_exceeded", describe(prompt), { param: PARAMS[api], details });
}

/** The field that holds the conversation. */
const PARAMS: Readonly<Record<Api, string>> = {
  "chat.completions": "messages",
  responses: "input",
  messages: "messages",
  generate_content: "contents",
  completions: "prompt",
  generate: "token_ids",
};

function describe({ api, limit, promptTokens, counted }: LongPrompt): string {
  const orMore = counted === "all" ? "" : " or more";
  switch (api) {
    case "messages":
      return `prompt is too long: ${promptTokens} tokens${orMore} > ${limit - 1} maximum`;
    case "generate_content":
      return `The input token count (${promptTokens}${orMore}) exceeds the maximum number of tokens allowed (${limit - 1}).`;
    case "chat.completions":
    case "responses":
    case "completions":
    case "generate":
      return `This model's maximum context length is ${limit} tokens, prompt and output together. However, your ${api === "completions" || api === "generate" ? "prompt" : "messages"} resulted in ${promptTokens} tokens${orMore}.`;
  }
}
