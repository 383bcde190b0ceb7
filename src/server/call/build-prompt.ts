import type { Conversation } from "../../conversation/message.js";
import type { Api } from "../../facts/call-facts.js";
import { type ChatModel, TemplateError } from "../../model/chat-model.js";
import { TooManyTokensError } from "../../model/tokenizer/encode-within.js";
import type { ParentMatch } from "../../native/contract.js";
import { inputLength } from "../../session/recorded-interaction.js";
import type { Session } from "../../session/session.js";
import type { PromptTokens, Turn } from "../../session/turn/turn.js";
import type { AbortSource } from "../../support/async/abort-source.js";
import { eventLoop } from "../../support/async/event-loop.js";
import { runInIterations } from "../../support/async/run-steps.js";
import type { ServerContext } from "../context.js";
import { contextLengthError } from "./context-limit.js";
import { continueTurn, findExtension, keepSampled } from "./extended-answer.js";
import { measurePrompt, type PromptSize } from "./prompt-size.js";

/** Number of tokens that {@link decodePromptEnd} decodes. No template's generation prompt is longer. */
const END_TOKENS = 32;

const UNLIMITED = Number.POSITIVE_INFINITY;

interface PiecesRequest {
  readonly session: Session;
  readonly turn: Turn;
  readonly size: PromptSize;
  /** Tokens that prompt and output may have together. */
  readonly limit: number;
}

export interface PromptRequest extends PiecesRequest {
  readonly api: Api;
  /** See {@link isLongFirstPrompt}. */
  readonly isLongFirst: boolean;
  /** The call's signal. Encoding takes a while, and the session may be freed meanwhile. */
  readonly signal: AbortSource;
}

/**
 * Builds the prompt of a turn. With `chat_template_type: concat` it is the parent's tokens as generated, followed by the new
 * messages. Without a parent, and with `hf`, the template renders all messages. With both, an answer to which the client has added text
 * keeps its tokens.
 *
 * @throws ApiError `context_length_exceeded` if there is no room for an output token
 */
export async function buildPrompt(context: ServerContext, request: PromptRequest): Promise<void> {
  const { api, limit, turn, signal } = request;
  const tokens = await encodeWithinContext(context, request);
  if (request.isLongFirst) await eventLoop.yield();
  signal.throwIfAborted();
  const promptTokens = turn.countTokens(tokens);
  if (promptTokens >= limit) throw contextLengthError({ api, limit, promptTokens, counted: "all" });
  turn.buildPrompt(tokens);
}

/** Returns the prompt's last tokens as text. A template may open the model's reasoning there. */
export function decodePromptEnd(model: ChatModel, turn: Turn): string {
  return model.decode(turn.readPromptEnd(END_TOKENS), { skipSpecialTokens: false });
}

/** Returns the number of tokens that the prompt of this conversation would have now. It may exceed the context. */
export async function countPromptTokens(
  context: ServerContext,
  session: Session,
  conversation: Conversation,
): Promise<number> {
  const size = measurePrompt(context, conversation);
  if (size.isLong) await eventLoop.yield();
  session.requireTokens();
  const turn = await runInIterations(session.begin(conversation));
  session.requireTokens();
  const tokens = await encodePieces(context, { session, turn, size, limit: UNLIMITED });
  session.requireTokens();
  return turn.countTokens(tokens);
}

async function encodeWithinContext(context: ServerContext, request: PromptRequest): Promise<PromptTokens> {
  const { api, limit } = request;
  try {
    return await encodePieces(context, request);
  } catch (error) {
    if (!(error instanceof TooManyTokensError)) throw error;
    throw contextLengthError({ api, limit, promptTokens: error.tokens, counted: "part" });
  }
}

async function encodePieces(context: ServerContext, request: PiecesRequest): Promise<PromptTokens> {
  const { settings, model } = context;
  const { turn } = request;
  const extension = findExtension(model, request);
  if (settings.chatTemplateType !== "concat") {
    const pieces = await renderOrAdvise(context, request);
    return (extension && (await keepSampled(model, request, extension, pieces))) ?? { pieces };
  }
  const extended = extension && (await continueTurn(model, request, extension));
  if (extended) return extended;
  const { parent } = turn;
  if (parent === undefined) {
    const fallback = turn.changesSystem() ? "system_changed" : undefined;
    return { pieces: await renderAll(context, request), fallback };
  }
  const continuation = await encodeContinuation(model, request, parent);
  if ("fallback" in continuation) {
    return { pieces: await renderAll(context, request), fallback: continuation.fallback };
  }
  return { pieces: continuation.pieces, continues: parent };
}

async function renderAll({ model, known }: ServerContext, request: PiecesRequest): Promise<Int32Array[]> {
  const { session, turn, size, limit } = request;
  if (size.isLong) await eventLoop.yield();
  const { idPieces } = await model.prompt(turn.conversation, {
    known: known.prompts.forSession(session),
    maxTokens: limit,
  });
  return [...idPieces];
}

/**
 * Renders all messages. If the template refuses an answer that the model wrote, the error says that `concat` continues it.
 *
 * @throws TemplateError
 */
async function renderOrAdvise(context: ServerContext, request: PiecesRequest): Promise<Int32Array[]> {
  try {
    return await renderAll(context, request);
  } catch (error) {
    const { parent } = request.turn;
    if (!(error instanceof TemplateError) || parent === undefined) throw error;
    const continuation = await encodeContinuation(context.model, request, parent);
    if ("fallback" in continuation) throw error;
    const advice = "With `rollout.agent.chat_template_type: concat`, the answer is continued as the model wrote it.";
    throw new TemplateError(`${error.message} ${advice}`, { cause: error });
  }
}

/** Returns the tokens that follow the parent's tokens, or why the prompt cannot continue them. */
async function encodeContinuation(
  model: ChatModel,
  { session, turn, limit }: PiecesRequest,
  parent: ParentMatch,
): Promise<{ readonly pieces: Int32Array[] } | { readonly fallback: string }> {
  if (parent.rule !== "continuation") return { fallback: "history_rewritten" };
  const interaction = session.interaction(parent.index);
  const { output, lastTokenId, toolsKey, templateArgs } = interaction;
  const [answer] = output;
  if (!answer) return { fallback: "no_answer" };
  if (toolsKey !== turn.toolsKey) return { fallback: "tools_changed" };
  const messageCount = inputLength(interaction) + output.length;
  const recorded = { messageCount, output: answer, lastTokenId, templateArgs };
  return model.continuation(turn.conversation, recorded, limit);
}
