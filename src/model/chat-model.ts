import type { Conversation, Message } from "../conversation/message.js";
import type { TemplateArgs } from "../conversation/template-args.js";
import { CodedError } from "../support/coded-error.js";
import type { OutputParser, OutputParserOptions } from "./output/output-parser.js";
import type { OutputRules, OutputStructure } from "./output/structure/output-structure.js";
import type { EncodedText, KnownTexts } from "./tokenizer/encoded-text.js";
import type { CacheStats } from "./tokenizer/piece-cache.js";

/** A chat model as its Hugging Face folder describes it: tokenizer, chat template, stop tokens. */
export interface ChatModel {
  readonly name: string;
  /** SHA-256 of tokenizer and chat template: models with the same one make the same tokens of a conversation. */
  readonly digest: string;
  /** Every token id that ends a turn: generation_config.json, config.json and tokenizer_config.json together. */
  readonly stopTokenIds: readonly number[];
  /** The model's own limit (config.json), where the folder says. */
  readonly contextLength: number | undefined;
  /**
   * The prompt that the chat template renders for this conversation, with the generation prompt. Rejects with
   * {@link TemplateError} where the template refuses.
   */
  prompt(conversation: Conversation, options?: PromptOptions): Promise<EncodedText>;
  /**
   * What follows a recorded turn when `conversation` (whose messages begin with those of the turn and its output)
   * goes on: the rest of the end of turn, the new messages, the generation prompt. Where the conversation cannot be
   * continued without rendering its history anew, why not.
   *
   * @param maxTokens of what follows the turn, as for `prompt`
   */
  continuation(conversation: Conversation, turn: RecordedTurn, maxTokens?: number): Promise<ContinuationResult>;
  decode(ids: Int32Array, options: { readonly skipSpecialTokens: boolean }): string;
  /** What one token adds to a text, in UTF-8. */
  tokenBytes(id: number): Uint8Array;
  /** What makes an engine write outputs by rules; undefined where the model's way of calling tools cannot be told so. */
  outputStructure(rules: OutputRules): OutputStructure | undefined;
  /** A parser for the tokens of one output. */
  outputParser(options: OutputParserOptions): OutputParser;
  /** How the cache of encoded text does. */
  readonly cacheStats: CacheStats;
}

export interface PromptOptions {
  /** Prompts that this one may begin like, to which it is added: only what is new is encoded. */
  readonly known?: KnownTexts;
  /** A prompt with far more is not encoded to its end: rejects with a {@link TooManyTokensError}. */
  readonly maxTokens?: number;
}

/** Why a recorded turn is not continued token by token, so that its conversation is rendered anew. */
export type ContinuationFallback =
  /** The new messages hold an answer that this session did not generate there, or there are none. */
  | "answer_among_new_messages"
  /** The variables for the template are not those of the turn, and show in the header. */
  | "template_args_changed"
  /** The template shows the system message or the tools behind the answer. */
  | "template_moves_context"
  /** The template shows a new system message somewhere else than behind the answer. */
  | "system_message_moved"
  /** The template refuses the new messages, or an answer like the turn's. */
  | "template_refuses"
  /** The template opens an answer otherwise than it shows one, and the answer has begun. */
  | "answer_opened_otherwise"
  /** The template ends the turn with no token at which the model stops. */
  | "no_end_of_turn";

/** Token ids in pieces whose concatenation is the whole, or why there are none. */
export type ContinuationResult = { readonly pieces: Int32Array[] } | { readonly fallback: ContinuationFallback };

export interface RecordedTurn {
  /** How many messages of the conversation the turn covers: its input and its output. */
  readonly messageCount: number;
  readonly output: Message;
  /** The last token of the turn's output, to see whether it ended with an end-of-turn token. */
  readonly lastTokenId: number | undefined;
  /** What the template was given for the turn's prompt beside the messages and tools. */
  readonly templateArgs?: TemplateArgs | undefined;
}

/** The chat template refused the conversation; the message is the template's own. */
export class TemplateError extends CodedError<"template_error"> {
  override readonly name = "TemplateError";

  constructor(message: string, options?: ErrorOptions) {
    super("template_error", message, options);
  }
}
