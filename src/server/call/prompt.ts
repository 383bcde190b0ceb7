import type { Conversation } from "../../conversation/message.js";
import type { ChatModel } from "../../model/chat-model.js";
import { TooManyTokensError } from "../../model/tokenizer/encode-within.js";
import { totalLength } from "../../model/tokenizer/total-length.js";
import type { NativePrompt, ParentMatch } from "../../native/contract.js";
import { type Api, inputLength } from "../../session/interaction.js";
import type { PreparedMessages, Session } from "../../session/session.js";
import { LONG_TEXT, turns } from "../../support/async/turns.js";
import type { ServerContext } from "../context.js";
import { contextLengthExceeded } from "./context-limit.js";

export interface BuiltPrompt {
  readonly prompt: NativePrompt;
  /** The prompt's last tokens as text, where a template opens the model's reasoning. Few parsers look at it. */
  readonly end: () => string;
  /** The parent that the prompt continues token by token. */
  readonly parent?: ParentMatch;
  /** Why the prompt does not continue its parent's tokens although it was to; undefined where it does, or is a root. */
  readonly fallback?: string;
}

/** Tokens of the prompt's end that are shown to the output parser: no template's generation prompt is longer. */
const END_TOKENS = 32;

const UNLIMITED = Number.POSITIVE_INFINITY;

interface PiecesRequest {
  readonly session: Session;
  readonly conversation: Conversation;
  readonly prepared: PreparedMessages;
  /** Tokens that prompt and output may have together. */
  readonly limit: number;
}

export interface PromptRequest extends PiecesRequest {
  readonly api: Api;
  /** Of the call: encoding takes a while, and the session may be freed meanwhile. */
  readonly signal: AbortSignal;
}

/** The tokens of a prompt that follow its parent's, all of them where it continues none. */
interface PromptPieces extends Pick<BuiltPrompt, "parent" | "fallback"> {
  readonly pieces: readonly Int32Array[];
}

/**
 * In `concat` the parent's tokens as generated and the new messages behind them; else what the template renders.
 *
 * @throws ApiError context_length_exceeded where no output token has room behind it
 */
export async function buildPrompt(context: ServerContext, request: PromptRequest): Promise<BuiltPrompt> {
  const { api, limit } = request;
  try {
    const built = await promptOf(context, request);
    const promptTokens = built.prompt.length;
    if (promptTokens < limit) return built;
    built.prompt.release();
    throw contextLengthExceeded({ api, limit, promptTokens, counted: "all" });
  } catch (error) {
    if (!(error instanceof TooManyTokensError)) throw error;
    throw contextLengthExceeded({ api, limit, promptTokens: error.tokens, counted: "part" });
  }
}

/** How many tokens the prompt of this conversation would have, were it sent now; however many that is. */
export async function countPrompt(
  context: ServerContext,
  session: Session,
  conversation: Conversation,
): Promise<number> {
  session.requireTokens();
  const prepared = session.prepare(conversation);
  const known = { ...conversation, messages: prepared.messages };
  const { pieces, parent } = await piecesOf(context, { session, conversation: known, prepared, limit: UNLIMITED });
  session.requireTokens();
  const before = parent ? session.sequenceLength(parent.index) : 0;
  return before + totalLength(pieces);
}

async function promptOf(context: ServerContext, request: PromptRequest): Promise<BuiltPrompt> {
  const { session, signal } = request;
  const { pieces, ...rest } = await piecesOf(context, request);
  signal.throwIfAborted();
  const prompt = session.prompt(pieces, rest.parent?.index);
  return { prompt, end: () => endOf(context.model, pieces), ...rest };
}

async function piecesOf(context: ServerContext, request: PiecesRequest): Promise<PromptPieces> {
  const { settings, model } = context;
  const { session, prepared } = request;
  if (settings.chatTemplateType !== "concat") return { pieces: await rendered(context, request) };
  const parent = session.findParent(prepared);
  if (parent === undefined) {
    const fallback = session.changesSystem(prepared) ? { fallback: "system_changed" } : {};
    return { pieces: await rendered(context, request), ...fallback };
  }
  const pieces = await continuationOf(model, request, parent);
  if (typeof pieces === "string") return { pieces: await rendered(context, request), fallback: pieces };
  return { pieces, parent };
}

async function rendered({ model, known }: ServerContext, request: PiecesRequest): Promise<Int32Array[]> {
  const { session, conversation, limit } = request;
  if (isLong(conversation)) await turns.next();
  const { ids } = await model.prompt(conversation, { known: known.prompts.of(session), maxTokens: limit });
  return [ids];
}

function isLong({ messages }: Conversation): boolean {
  return messages.reduce((length, { content }) => length + content.length, 0) >= LONG_TEXT;
}

/** What follows the parent's tokens, or why it cannot be told. */
async function continuationOf(
  model: ChatModel,
  { session, conversation, prepared, limit }: PiecesRequest,
  parent: ParentMatch,
): Promise<Int32Array[] | string> {
  if (parent.rule !== "continuation") return "history_rewritten";
  const interaction = session.interaction(parent.index);
  const { output, lastTokenId, toolsKey, templateArgs } = interaction;
  const [answer] = output;
  if (!answer) return "no_answer";
  if (toolsKey !== prepared.toolsKey) return "tools_changed";
  const messageCount = inputLength(interaction) + output.length;
  const turn = { messageCount, output: answer, lastTokenId, templateArgs };
  const result = await model.continuation(conversation, turn, limit);
  return "pieces" in result ? result.pieces : result.fallback;
}

function endOf(model: ChatModel, pieces: readonly Int32Array[]): string {
  const end: number[] = [];
  for (let i = pieces.length - 1; i >= 0 && end.length < END_TOKENS; i--) {
    end.unshift(...(pieces[i]?.subarray(-(END_TOKENS - end.length)) ?? []));
  }
  return model.decode(Int32Array.from(end), { skipSpecialTokens: false });
}
