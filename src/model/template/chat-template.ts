import type { Conversation } from "../../conversation/message.js";
import { RESERVED_ARGS } from "../../conversation/template-args.js";
import { TemplateError } from "../chat-model.js";
import { compileTemplate, NONE, type Render, RenderError, type Value } from "../jinja/index.js";
import { detectDialect } from "./dialect.js";
import { fromJs } from "./from-js.js";
import { MessageValues } from "./message-values.js";

/** What a template is compiled with. */
export interface ChatTemplateOptions {
  /** The tokenizer's special tokens by the names that templates use, such as `bos_token`. */
  readonly specialTokens: ReadonlyMap<string, string>;
  /** The clock behind `strftime_now`. */
  readonly now: () => Date;
  /** Variables of every rendering; a conversation's own win, key by key. */
  readonly templateArgs: Readonly<Record<string, unknown>>;
}

/** A model's chat template: conversations to prompts, as `apply_chat_template` of `transformers` makes them. */
export class ChatTemplate {
  readonly source: string;
  readonly #render: Render;
  /** Variables of every rendering: none of documents, the special tokens, the configured ones. */
  readonly #variables: ReadonlyMap<string, Value>;
  readonly #messages: MessageValues;

  /** Throws where the template does not parse, or refuses a conversation of one user message. */
  constructor(source: string, options: ChatTemplateOptions) {
    this.source = source;
    this.#render = compileTemplate(source, options.now);
    const special: ReadonlyMap<string, Value> = options.specialTokens;
    this.#variables = new Map([["documents", NONE], ...special, ...argumentValues(options.templateArgs)]);
    const dialect = detectDialect(source, (messages, tried) =>
      this.#rendered({ messages }, true, new MessageValues(tried)).join(""),
    );
    this.#messages = new MessageValues(dialect);
  }

  /**
   * The text of a conversation, with or without the opening of the assistant's next turn.
   *
   * @throws TemplateError where the template refuses the conversation
   */
  render(conversation: Conversation, addGenerationPrompt: boolean): string {
    return this.renderParts(conversation, addGenerationPrompt).join("");
  }

  /** The same in parts, one for each message where the template goes through them in a loop of its own. */
  renderParts(conversation: Conversation, addGenerationPrompt: boolean): string[] {
    try {
      return this.#rendered(conversation, addGenerationPrompt, this.#messages);
    } catch (error) {
      if (error instanceof RenderError) throw new TemplateError(error.message, { cause: error });
      throw error;
    }
  }

  #rendered(conversation: Conversation, addGenerationPrompt: boolean, values: MessageValues): string[] {
    const { messages, tools = [], templateArgs = {} } = conversation;
    const noTools = values.dialect.noTools === "none" ? NONE : [];
    const variables = new Map([...this.#variables, ...argumentValues(templateArgs)]);
    variables.set("messages", values.list(messages));
    variables.set("tools", tools.length > 0 ? fromJs(tools) : noTools);
    variables.set("add_generation_prompt", addGenerationPrompt);
    return this.#render(variables);
  }
}

function argumentValues(given: Readonly<Record<string, unknown>>): [string, Value][] {
  const reserved = Object.keys(given).find((name) => RESERVED_ARGS.has(name));
  if (reserved !== undefined) throw new RenderError(`chat_template_kwargs cannot set '${reserved}'`);
  return Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, fromJs(value)]]));
}
