import type { Conversation } from "../../conversation/message.js";
import { type ChatModel, TemplateError } from "../../model/chat-model.js";
import { TooManyTokensError } from "../../model/tokenizer/encode-within.js";
import { totalLength } from "../../model/tokenizer/total-length.js";
import type { NativePrompt, ParentMatch } from "../../native/contract.js";
import type { PreparedMessages } from "../../session/completed-call.js";
import { type Api, inputLength } from "../../session/interaction.js";
import type { Session } from "../../session/session.js";
import type { AbortSource } from "../../support/async/abort-source.js";
import { runInTurns } from "../../support/async/run-steps.js";
import { turns } from "../../support/async/turns.js";
import type { ServerContext } from "../context.js";
import { contextLengthError } from "./context-limit.js";
import { continueTurn, findExtension, keepSampled } from "./extended-answer.js";
import { measurePrompt, type PromptSize } from "./prompt-size.js";

export interface BuiltPrompt {
  readonly prompt: NativePrompt;
  /** Returns the prompt's last tokens as text. A template may open the model's reasoning there. */
  readonly decodeEnd: () => string;
  /** The parent that the prompt continues token by token. */
  readonly parent?: ParentMatch;
  /** In `concat`: why the prompt does not continue its parent's tokens. Undefined if it does, or if it is a root. */
  readonly fallback?: string;
  /** The prompt adds text to the parent's answer. */
  readonly extended?: boolean;
}

/** Number of tokens that {@link BuiltPrompt.decodeEnd} decodes. No template's generation prompt is longer. */
const END_TOKENS = 32;

const UNLIMITED = Number.POSITIVE_INFINITY;

interface PiecesRequest {
  readonly session: Session;
  readonly conversation: Conversation;
  readonly prepared: PreparedMessages;
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

/** The tokens that follow the parent's tokens; without a parent, all tokens of the prompt. */
interface PromptPieces extends Pick<BuiltPrompt, "parent" | "fallback" | "extended"> {
  readonly pieces: readonly Int32Array[];
}

/**
 * Builds the prompt of a call. With `chat_template_type: concat` it is the parent's tokens as generated, followed by the new
 * messages. Without a parent, and with `hf`, the template renders all messages. With both, an answer to which the client has added text
 * keeps its tokens.
 *
 * @throws ApiError `context_length_exceeded` if there is no room for an output token
 */
export async function buildPrompt(context: ServerContext, request: PromptRequest): Promise<BuiltPrompt> {
  const { api, limit, session, signal } = request;
  const { pieces, ...rest } = await encodeWithinContext(context, request);
  if (request.isLongFirst) await turns.next();
  signal.throwIfAborted();
  const promptTokens = countTokens(session, pieces, rest.parent);
  if (promptTokens >= limit) throw contextLengthError({ api, limit, promptTokens, counted: "all" });
  const prompt = rest.parent
    ? session.prompt(pieces, rest.parent.index)
    : session.renderedPrompt(pieces, request.prepared);
  return { prompt, decodeEnd: () => decodeEnd(context.model, pieces), ...rest };
}

/** Returns the number of tokens that the prompt of this conversation would have now. It may exceed the context. */
export async function countPromptTokens(
  context: ServerContext,
  session: Session,
  conversation: Conversation,
): Promise<number> {
  const size = measurePrompt(context, conversation);
  if (size.isLong) await turns.next();
  session.requireTokens();
  const prepared = await runInTurns(session.prepareInSteps(conversation));
  session.requireTokens();
  const known = { ...conversation, messages: prepared.messages };
  const request = { session, conversation: known, prepared, size, limit: UNLIMITED };
  const { pieces, parent } = await encodePieces(context, request);
  session.requireTokens();
  return countTokens(session, pieces, parent);
}

function countTokens(session: Session, pieces: readonly Int32Array[], parent: ParentMatch | undefined): number {
  return (parent ? session.sequenceLength(parent.index) : 0) + totalLength(pieces);
}

async function encodeWithinContext(context: ServerContext, request: PromptRequest): Promise<PromptPieces> {
  const { api, limit } = request;
  try {
    return await encodePieces(context, request);
  } catch (error) {
    if (!(error instanceof TooManyTokensError)) throw error;
    throw contextLengthError({ api, limit, promptTokens: error.tokens, counted: "part" });
  }
}

async function encodePieces(context: ServerContext, request: PiecesRequest): Promise<PromptPieces> {
  const { settings, model } = context;
  const { session, prepared } = request;
  const extension = findExtension(model, request);
  if (settings.chatTemplateType !== "concat") {
    const pieces = await renderOrAdvise(context, request);
    return (extension && (await keepSampled(model, request, extension, pieces))) ?? { pieces };
  }
  const extended = extension && (await continueTurn(model, request, extension));
  if (extended) return extended;
  const parent = session.findParent(prepared);
  if (parent === undefined) {
    const fallback = session.changesSystem(prepared) ? { fallback: "system_changed" } : {};
    return { pieces: await renderAll(context, request), ...fallback };
  }
  const continuation = await encodeContinuation(model, request, parent);
  if ("fallback" in continuation) {
    return { pieces: await renderAll(context, request), fallback: continuation.fallback };
  }
  return { pieces: continuation.pieces, parent };
}

async function renderAll({ model, known }: ServerContext, request: PiecesRequest): Promise<Int32Array[]> {
  const { session, conversation, size, limit } = request;
  if (size.isLong) await turns.next();
  const { idPieces } = await model.prompt(conversation, { known: known.prompts.forSession(session), maxTokens: limit });
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
    const parent = error instanceof TemplateError ? request.session.findParent(request.prepared) : undefined;
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
  { session, conversation, prepared, limit }: PiecesRequest,
  parent: ParentMatch,
): Promise<{ readonly pieces: Int32Array[] } | { readonly fallback: string }> {
  if (parent.rule !== "continuation") return { fallback: "history_rewritten" };
  const interaction = session.interaction(parent.index);
  const { output, lastTokenId, toolsKey, templateArgs } = interaction;
  const [answer] = output;
  if (!answer) return { fallback: "no_answer" };
  if (toolsKey !== prepared.toolsKey) return { fallback: "tools_changed" };
  const messageCount = inputLength(interaction) + output.length;
  const turn = { messageCount, output: answer, lastTokenId, templateArgs };
  return model.continuation(conversation, turn, limit);
}

function decodeEnd(model: ChatModel, pieces: readonly Int32Array[]): string {
  const end: number[] = [];
  for (let i = pieces.length - 1; i >= 0 && end.length < END_TOKENS; i--) {
    end.unshift(...(pieces[i]?.subarray(-(END_TOKENS - end.length)) ?? []));
  }
  return model.decode(Int32Array.from(end), { skipSpecialTokens: false });
}
