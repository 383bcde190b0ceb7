import { JsonDepthError, JsonError } from "../../support/json/parse-json.js";
import { isDict, NONE, RenderError } from "../jinja/index.js";
import { placeCalls } from "./call-messages.js";
import { fromJson } from "./from-json.js";
import { placeSystemMessages } from "./system-messages.js";
/** Approximate bytes of a message's value without its texts, and of each character of a call's arguments. */
const VALUE_BYTES = 350;
const ARGUMENT_BYTES = 8;
/** Size in bytes at which a new generation begins. */
const GENERATION_BYTES = 16 << 20;
/**
 * Converts messages to the mappings that templates expect: `{role, content, name?, reasoning_content?, tool_calls?,
 * tool_call_id?}`. Values are cached by message and shared, because templates cannot change them.
 *
 * A session keeps its messages as long as it lives, so a single WeakMap would keep all their values too. There are two
 * generations instead; values that were not used during two generations are dropped.
 */
export class MessageValues {
    dialect;
    #young = new WeakMap();
    #old = new WeakMap();
    #youngBytes = 0;
    constructor(dialect) {
        this.dialect = dialect;
    }
    *list(messages) {
        const { systemRules, callRules } = this.dialect;
        const values = [];
        for (const message of placeCalls(placeSystemMessages(messages, systemRules), callRules))
            values.push(this.#young.get(message) ?? (yield* this.#convert(message)));
        return values;
    }
    *#convert(message) {
        const value = this.#old.get(message) ?? (yield* toMessageValue(message, this.dialect));
        this.#keep(message, value);
        return value;
    }
    #keep(message, value) {
        if (this.#youngBytes >= GENERATION_BYTES) {
            this.#old = this.#young;
            this.#young = new WeakMap();
            this.#youngBytes = 0;
        }
        this.#young.set(message, value);
        this.#youngBytes += estimateBytes(message);
    }
}
function estimateBytes({ toolCalls = [] }) {
    return toolCalls.reduce((bytes, call) => bytes + ARGUMENT_BYTES * call.arguments.length, VALUE_BYTES);
}
function* toMessageValue(message, dialect) {
    const { content, name, reasoning, toolCalls = [], toolCallId } = message;
    const entries = new Map();
    entries.set("role", message.role === "developer" && !dialect.hasDeveloper ? "system" : message.role);
    const isNone = content === "" && toolCalls.length > 0 && dialect.emptyContent === "none";
    entries.set("content", isNone ? NONE : content);
    if (name !== undefined)
        entries.set("name", name);
    if (reasoning !== undefined)
        entries.set(dialect.reasoningField, reasoning);
    if (toolCalls.length > 0) {
        const calls = [];
        for (const call of toolCalls)
            calls.push(yield* toCallValue(call, dialect));
        entries.set("tool_calls", calls);
    }
    if (toolCallId !== undefined)
        entries.set("tool_call_id", toolCallId);
    return entries;
}
function* toCallValue(call, dialect) {
    const asText = dialect.callArguments === "text";
    const called = new Map([
        ["name", call.name],
        ["arguments", asText ? call.arguments : yield* toArgumentsValue(call.arguments)],
    ]);
    return new Map([
        ["id", call.id],
        ["type", "function"],
        ["function", called],
    ]);
}
/** Parses arguments to a mapping that keeps key order and number spelling. Text that is not a JSON object stays text. */
function* toArgumentsValue(text) {
    if (text.trim() === "")
        return new Map();
    try {
        const value = yield* fromJson(text);
        return isDict(value) ? value : text;
    }
    catch (error) {
        if (error instanceof JsonDepthError)
            throw new RenderError(`tool call arguments: ${error.message}`);
        if (error instanceof JsonError)
            return text;
        throw error;
    }
}
//# sourceMappingURL=message-values.js.map