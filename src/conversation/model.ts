import type { Conversation, Message } from "./message.js";
import type { OutputParser, OutputParserOptions } from "./output/output-parser.js";

/** A chat model as its Hugging Face folder describes it: tokenizer, chat template, stop tokens. */
export interface ChatModel {
  readonly name: string;
  /** Every token id that ends a turn: generation_config.json, config.json and tokenizer_config.json together. */
  readonly stopTokenIds: readonly number[];
  /** The model's own limit (config.json), where the folder says. */
  readonly contextLength: number | undefined;
  /**
   * The prompt that the chat template renders for this conversation, with the generation prompt, as token ids in
   * pieces whose concatenation is the whole. Throws {@link TemplateError} where the template refuses.
   */
  prompt(conversation: Conversation): Int32Array[];
  /**
   * What follows a recorded turn when `conversation` (whose messages begin with those of the turn and its output)
   * goes on: the rest of the end of turn, the new messages, the generation prompt. `undefined` where the template
   * cannot be continued without rendering its history anew.
   */
  continuation(conversation: Conversation, turn: RecordedTurn): Int32Array[] | undefined;
  decode(ids: Int32Array, options: { readonly skipSpecialTokens: boolean }): string;
  /** A parser for the tokens of one output. */
  outputParser(options: OutputParserOptions): OutputParser;
}

export interface RecordedTurn {
  /** How many messages of the conversation the turn covers: its input and its output. */
  readonly messageCount: number;
  readonly output: Message;
  /** The last token of the turn's output, to see whether it ended with an end-of-turn token. */
  readonly lastTokenId: number | undefined;
}

/** The chat template refused the conversation; the message is the template's own. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
  readonly code = "template_error";
}
