import type { Conversation, Message } from "../conversation/message.js";
import type { TemplateArgs } from "../conversation/template-args.js";
import { CodedError } from "../support/coded-error.js";
import type { ImageModel } from "./images/image-model.js";
import type { OutputFamilies, ToolFamily } from "./output/family-lookup.js";
import type { OutputParser, OutputParserOptions } from "./output/output-parser.js";
import type { Enforcement, OutputRules, OutputStructure } from "./output/structure/output-structure.js";
import type { EncodedText, KnownTexts } from "./tokenizer/encoded-text.js";
import type { CacheStats } from "./tokenizer/piece-cache.js";

/** A chat model as its Hugging Face folder describes it: tokenizer, chat template, stop tokens. */
export interface ChatModel {
  readonly name: string;
  /** Absolute path of the model's folder. It may lack the weights. */
  readonly folder: string;
  /** SHA-256 of tokenizer and chat template. Models with equal digests turn a conversation into the same tokens. */
  readonly digest: string;
  /** All token ids that end a turn, from generation_config.json, config.json and tokenizer_config.json. */
  readonly stopTokenIds: readonly number[];
  /** The model's own limit (config.json); undefined if the folder has none. */
  readonly contextLength: number | undefined;
  /** Number of token ids that the model can sample: each id is less. */
  readonly vocabularySize: number;
  /** How the model sees images. Undefined: it sees none, or the number of an image's tokens is not known. */
  readonly images?: ImageModel | undefined;
  /**
   * Renders and encodes the conversation's prompt, including the generation prompt.
   *
   * @throws TemplateError if the template refuses the conversation
   */
  prompt(conversation: Conversation, options?: PromptOptions): Promise<EncodedText>;
  /**
   * Encodes the text that follows a recorded turn when its conversation continues: the rest of the end of turn, the new
   * messages and the generation prompt. If the conversation cannot be continued without rendering its history again, the
   * result says why.
   *
   * @param conversation its messages begin with those of the turn and its output
   * @param maxTokens limit of the text that follows the turn, as in {@link PromptOptions}
   */
  continuation(conversation: Conversation, turn: RecordedTurn, maxTokens?: number): Promise<ContinuationResult>;
  /**
   * Encodes a text that follows tokens. Undefined if the tokens and the ids do not decode to the tokens' text followed by this one.
   *
   * @param maxTokens limit of the text, as in {@link PromptOptions}
   */
  encodeAfter(tokens: Int32Array, text: string, maxTokens?: number): Promise<Int32Array[] | undefined>;
  /**
   * Returns why the template's turns cannot be continued in the conversations of most agents: a system message, a text answer, and a tool
   * call if the template shows tools. Undefined if they can.
   */
  continuationProblem(): ContinuationFallback | undefined;
  decode(ids: Int32Array, options: { readonly skipSpecialTokens: boolean }): string;
  /** Returns the UTF-8 bytes that a token adds to the text. */
  tokenBytes(id: number): Uint8Array;
  /** The families of reasoning and tool calls: those of the configuration, or those that were detected. */
  readonly families: OutputFamilies;
  readonly toolCalls: ToolCallSupport;
  /** Returns the structure that makes an engine follow the rules; undefined if no grammar describes the model's calls. */
  outputStructure(rules: OutputRules): OutputStructure | undefined;
  /**
   * Returns true if the template has ended the reasoning in the prompt, so the answer has none.
   *
   * @param promptEnd the prompt's last tokens as text
   */
  hasEndedReasoning(promptEnd: string): boolean;
  /**
   * Returns the ids of the markers with which reasoning begins and ends; those of most models if the family is `none`. Undefined if one
   * reader reads the family's whole output.
   */
  reasoningMarkers(): Promise<MarkerTokens | undefined>;
  /** Returns a parser for the tokens of one output. */
  outputParser(options: OutputParserOptions): OutputParser;
  /** Counters of the cache of encoded text. */
  readonly cacheStats: CacheStats;
}

/** The properties of a model's tool calls. */
export interface ToolCallSupport {
  /** The family that reads the calls. With `none`, calls stay in the text. */
  readonly family: ToolFamily | "none";
  /** True if the configuration names the family; false if it was detected in the model folder. */
  readonly isConfigured: boolean;
  /** True if the chat template shows tools or calls. */
  readonly isShown: boolean;
  /** True if the chat template leaves out the calls of earlier turns. */
  readonly isOmitted: boolean;
  /** When an engine with grammars can enforce calls. */
  readonly enforced: Enforcement;
}

export interface PromptOptions {
  /** Earlier prompts. Only the part that differs from them is encoded; the new prompt is added. */
  readonly known?: KnownTexts;
  /** Encoding a prompt with far more tokens stops early and rejects with a {@link TooManyTokensError}. */
  readonly maxTokens?: number;
}

export interface MarkerTokens {
  readonly begin: Int32Array;
  readonly end: Int32Array;
}

/** Why a recorded turn cannot be continued token by token, so its conversation is rendered again. */
export type ContinuationFallback =
  /** The new messages contain an answer that this session did not generate there, or there are no new messages. */
  | "answer_among_new_messages"
  /** The template variables differ from those of the turn, and this changes the header. */
  | "template_args_changed"
  /** The template shows the system message or the tools after the answer. */
  | "template_moves_context"
  /** The template does not show a new system message after the answer. */
  | "system_message_moved"
  /** The template refuses the new messages, or an answer like the turn's. */
  | "template_refuses"
  /** The request contains the beginning of the answer, and the template opens new answers differently from earlier ones. */
  | "answer_opened_otherwise"
  /** The template does not end the turn with a token at which the model stops. */
  | "no_end_of_turn"
  /** The template or the tokenizer changes the text that the client has added to the answer. */
  | "added_text_changed";

/** Token ids in pieces to be concatenated, or the reason for a fallback. */
export type ContinuationResult = { readonly pieces: Int32Array[] } | { readonly fallback: ContinuationFallback };

export interface RecordedTurn {
  /** Number of the conversation's messages that belong to the turn: its input and its output. */
  readonly messageCount: number;
  readonly output: Message;
  /** The last token of the turn's output, which may be an end-of-turn token. */
  readonly lastTokenId: number | undefined;
  /** Text that the client has added to the output, after the turn's tokens. Undefined: none. */
  readonly addedText?: string | undefined;
  /** Further template variables of the turn's prompt. */
  readonly templateArgs?: TemplateArgs | undefined;
}

/** The chat template refused the conversation; the message is the template's own. */
export class TemplateError extends CodedError<"template_error"> {
  override readonly name = "TemplateError";

  constructor(message: string, options?: ErrorOptions) {
    super("template_error", message, options);
  }
}
