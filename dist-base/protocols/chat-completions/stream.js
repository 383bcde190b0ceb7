import { toLogprobs } from "../logprobs.js";
import { concat, joinTexts } from "../long-json.js";
import { dataEvent, KEEP_ALIVE_COMMENT } from "../sse.js";
import { sumUsage } from "./response.js";
const DONE = "data: [DONE]\n\n";
/**
 * Writes the chunks of a streamed chat completion in OpenAI's order: the role, the deltas, the finish reason, the usage
 * if the request asks for it, and [DONE]. The first chunk of each choice names its interaction. Reasoning is sent as
 * `reasoning_content`, like SGLang and vLLM do.
 */
export class ChatCompletionStream {
    keepAlive = KEEP_ALIVE_COMMENT;
    #includeUsage;
    #start;
    constructor(includeUsage) {
        this.#includeUsage = includeUsage;
    }
    start(start, others = []) {
        this.#start = start;
        const delta = { role: "assistant", content: "", refusal: null };
        return joinTexts([start, ...others].map(({ interactionId: id }, index) => this.#chunk({ index, delta, interaction_id: id })));
    }
    push(events, tokens, index = 0) {
        const [first, ...rest] = events.map(toDelta);
        if (!first && !tokens)
            return "";
        const logprobs = tokens ? { content: toLogprobs([tokens]), refusal: null } : null;
        return joinTexts([
            this.#chunk({ index, delta: first ?? {}, logprobs }),
            ...rest.map((delta) => this.#chunk({ index, delta })),
        ]);
    }
    finish(answer, others = []) {
        const last = [answer, ...others].map(({ finishReason }, index) => this.#chunk({ index, delta: {}, finish_reason: finishReason }));
        if (!this.#includeUsage)
            return concat(...last, DONE);
        return concat(...last, this.#event([], { usage: sumUsage(answer, others) }), DONE);
    }
    fail({ message, type, param, code }) {
        return dataEvent({ error: { message, type, param, code } });
    }
    #chunk({ index, delta, ...more }) {
        const choice = { index, delta, logprobs: null, finish_reason: null, ...more };
        return this.#event([choice], this.#includeUsage ? { usage: null } : {});
    }
    #event(choices, usage) {
        return dataEvent({
            id: this.#start?.interactionId,
            object: "chat.completion.chunk",
            created: Math.floor((this.#start?.createdAt ?? 0) / 1000),
            model: this.#start?.model,
            choices,
            ...usage,
        });
    }
}
function toDelta(event) {
    switch (event.type) {
        case "text":
            return { content: event.text };
        case "reasoning":
            return { reasoning_content: event.text };
        case "tool_call": {
            const { index, id, name } = event;
            return { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] };
        }
        case "tool_call_arguments":
            return { tool_calls: [{ index: event.index, function: { arguments: event.text } }] };
    }
}
//# sourceMappingURL=stream.js.map