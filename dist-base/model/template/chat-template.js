import { RESERVED_ARGS } from "../../conversation/template-args.js";
import { runAtOnce } from "../../support/async/steps.js";
import { TemplateError } from "../chat-model.js";
import { compileTemplateInSteps, NONE, RenderError } from "../jinja/index.js";
import { detectDialect } from "./dialect.js";
import { fromJs } from "./from-js.js";
import { MessageValues } from "./message-values.js";
/** Number of messages and calls from which converting them to values takes some milliseconds. */
const MANY_ITEMS = 512;
/** A model's chat template. It renders prompts like `apply_chat_template` of `transformers`. */
export class ChatTemplate {
    source;
    #render;
    /** The template refuses or leaves out all but one call of a message, so each call gets a message of its own. */
    dividesCalls;
    /** Variables of every rendering: `documents` as None, the special tokens, the configured variables. */
    #variables;
    #messages;
    /** @throws Error if the template does not parse, or refuses a conversation with one user message */
    constructor(source, options) {
        this.source = source;
        this.#render = compileTemplateInSteps(source, options.now);
        const special = options.specialTokens;
        this.#variables = new Map([["documents", NONE], ...special, ...argumentValues(options.templateArgs)]);
        const dialect = detectDialect(source, (messages, candidate) => runAtOnce(this.#renderWith({ messages }, true, new MessageValues(candidate))).join(""));
        this.#messages = new MessageValues(dialect);
        this.dividesCalls = dialect.callRules.calls === "one_by_one";
    }
    /**
     * Renders a conversation.
     *
     * @param addGenerationPrompt adds the opening of the assistant's next turn
     * @throws TemplateError if the template refuses the conversation
     */
    render(conversation, addGenerationPrompt) {
        return this.renderParts(conversation, addGenerationPrompt).join("");
    }
    /** Renders a conversation in parts: one for each message if the template loops over messages at its outermost level. */
    renderParts(conversation, addGenerationPrompt) {
        return runAtOnce(this.renderInSteps(conversation, addGenerationPrompt));
    }
    /** {@link renderParts} in steps, for conversations of thousands of messages or calls. */
    *renderInSteps(conversation, addGenerationPrompt) {
        try {
            return yield* this.#renderWith(conversation, addGenerationPrompt, this.#messages);
        }
        catch (error) {
            if (error instanceof RenderError)
                throw new TemplateError(error.message, { cause: error });
            throw error;
        }
    }
    /** Returns the variables of {@link render}, so that another renderer can be compared with it. */
    variables(conversation, addGenerationPrompt) {
        return runAtOnce(this.#variablesOf(conversation, addGenerationPrompt, this.#messages));
    }
    *#renderWith(conversation, addGenerationPrompt, values) {
        const variables = yield* this.#variablesOf(conversation, addGenerationPrompt, values);
        if (countItems(conversation.messages) >= MANY_ITEMS)
            yield;
        return yield* this.#render(variables);
    }
    *#variablesOf(conversation, addGenerationPrompt, values) {
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
function* toValues(tools) {
    const values = [];
    for (const tool of tools) {
        values.push(fromJs(tool, 1));
        yield;
    }
    return values;
}
function countItems(messages) {
    return messages.reduce((count, { toolCalls = [] }) => count + 1 + toolCalls.length, 0);
}
function argumentValues(args) {
    const reserved = Object.keys(args).find((name) => RESERVED_ARGS.has(name));
    if (reserved !== undefined)
        throw new RenderError(`chat_template_kwargs cannot set '${reserved}'`);
    return Object.entries(args).flatMap(([name, value]) => (value === undefined ? [] : [[name, fromJs(value)]]));
}
//# sourceMappingURL=chat-template.js.map