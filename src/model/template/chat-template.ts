/**
 * The room `template` turns a conversation into the text of a prompt. This file renders a model's chat template with
 * jinja/, which knows nothing of messages. dialect.ts finds out which shape of messages the template expects, and
 * message-values.ts, from-json.ts and from-js.ts convert messages, JSON and variables to template values.
 */
import type { Conversation, Message } from "../../conversation/message.js";
import { RESERVED_ARGS } from "../../conversation/template-args.js";
import { runAtOnce, type Steps } from "../../support/async/steps.js";
import { TemplateError } from "../chat-model.js";
import { compileTemplate, type KnownRendering, NONE, type Render, RenderError, type Value } from "../jinja/index.js";
import { detectDialect } from "./dialect.js";
import { fromJs } from "./from-js.js";
import { MessageValues } from "./message-values.js";

/** Number of messages and calls from which converting them to values takes some milliseconds. */
const MANY_ITEMS = 512;

/**
 * Limit of the blocks that one rendering may enter. It grows with the square of the number of messages and tool calls, because some
 * templates loop over all messages for each message. Without a limit, a server with a template that never ends would not start. A million blocks take about
 * a second.
 */
const MIN_BLOCKS = 1_000_000;
const BLOCKS_PER_PAIR = 100;

export interface ChatTemplateOptions {
  /** The tokenizer's special tokens, by the names that templates use, such as `bos_token`. */
  readonly specialTokens: ReadonlyMap<string, string>;
  /** Clock for `strftime_now`. */
  readonly now: () => Date;
  /** Variables of every rendering. A conversation's own variables override them key by key. */
  readonly templateArgs: Readonly<Record<string, unknown>>;
}

/** A model's chat template. It renders prompts like `apply_chat_template` of `transformers`. */
export class ChatTemplate {
  readonly source: string;
  readonly #render: Render;
  /** The template refuses or leaves out all but one call of a message, so each call gets a message of its own. */
  readonly dividesCalls: boolean;
  /** Variables of every rendering: `documents` as None, the special tokens, the configured variables. */
  readonly #variables: ReadonlyMap<string, Value>;
  readonly #messages: MessageValues;

  /** @throws Error if the template does not parse, or refuses a conversation with one user message */
  constructor(source: string, options: ChatTemplateOptions) {
    this.source = source;
    this.#render = compileTemplate(source, options.now);
    const special: ReadonlyMap<string, Value> = options.specialTokens;
    this.#variables = new Map([["documents", NONE], ...special, ...argumentValues(options.templateArgs)]);
    const dialect = detectDialect(source, (messages, candidate) =>
      runAtOnce(this.#renderWith({ messages }, true, new MessageValues(candidate))).parts.join(""),
    );
    this.#messages = new MessageValues(dialect);
    this.dividesCalls = dialect.callStyle.calls === "one_by_one";
  }

  /**
   * Renders a conversation.
   *
   * @param addGenerationPrompt adds the opening of the assistant's next turn
   * @throws TemplateError if the template refuses the conversation
   */
  render(conversation: Conversation, addGenerationPrompt: boolean): string {
    return this.renderParts(conversation, addGenerationPrompt).join("");
  }

  /** Renders a conversation in parts: one for each message if the template loops over messages at its outermost level. */
  renderParts(conversation: Conversation, addGenerationPrompt: boolean): readonly string[] {
    return runAtOnce(this.renderInSteps(conversation, addGenerationPrompt)).parts;
  }

  /**
   * {@link renderParts} in steps, for conversations of thousands of messages or calls. Takes the text of messages from earlier
   * renderings if the template certainly prints the same.
   */
  *renderInSteps(
    conversation: Conversation,
    addGenerationPrompt: boolean,
    known?: readonly KnownRendering[],
  ): Steps<KnownRendering> {
    try {
      return yield* this.#renderWith(conversation, addGenerationPrompt, this.#messages, known);
    } catch (error) {
      if (error instanceof RenderError) throw new TemplateError(error.message, { cause: error });
      throw error;
    }
  }

  /** Returns the variables of {@link render}, so that another renderer can be compared with it. */
  variables(conversation: Conversation, addGenerationPrompt: boolean): ReadonlyMap<string, Value> {
    return runAtOnce(this.#variablesOf(conversation, addGenerationPrompt, this.#messages));
  }

  *#renderWith(
    conversation: Conversation,
    addGenerationPrompt: boolean,
    values: MessageValues,
    known?: readonly KnownRendering[],
  ): Steps<KnownRendering> {
    const variables = yield* this.#variablesOf(conversation, addGenerationPrompt, values);
    const items = countItems(conversation.messages);
    if (items >= MANY_ITEMS) yield;
    return yield* this.#render(variables, known, MIN_BLOCKS + BLOCKS_PER_PAIR * items ** 2);
  }

  *#variablesOf(
    conversation: Conversation,
    addGenerationPrompt: boolean,
    values: MessageValues,
  ): Steps<Map<string, Value>> {
    const { messages, tools = [], templateArgs = {} } = conversation;
    const noTools = values.dialect.noTools === "none" ? NONE : [];
    const variables = new Map([...this.#variables, ...argumentValues(templateArgs)]);
    variables.set("messages", yield* values.list(messages));
    variables.set("tools", tools.length > 0 ? yield* toValues(tools) : noTools);
    variables.set("add_generation_prompt", addGenerationPrompt);
    return variables;
  }
}

/** Tools may have tens of thousands of values, so each is a step. */
function* toValues(tools: readonly unknown[]): Steps<Value> {
  const values: Value[] = [];
  for (const tool of tools) {
    values.push(fromJs(tool, 1));
    yield;
  }
  return values;
}

function countItems(messages: readonly Message[]): number {
  return messages.reduce((count, { toolCalls = [] }) => count + 1 + toolCalls.length, 0);
}

function argumentValues(args: Readonly<Record<string, unknown>>): [string, Value][] {
  const reserved = Object.keys(args).find((name) => RESERVED_ARGS.has(name));
  if (reserved !== undefined) throw new RenderError(`chat_template_kwargs cannot set '${reserved}'`);
  return Object.entries(args).flatMap(([name, value]) => (value === undefined ? [] : [[name, fromJs(value)]]));
}
