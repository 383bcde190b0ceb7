import { concat, joinTexts } from "../long-json.js";
import { signReasoning } from "../reasoning-signature.js";
import { typedEvent } from "../sse.js";
import { anthropicErrorType } from "./anthropic-error.js";
import { emptyMessage, emptyToolUse, toStop, toUsage } from "./response.js";
/**
 * Writes the events of a streamed message in Anthropic's order: message_start; start, deltas and stop of each block;
 * message_delta with stop reason and usage; message_stop. Thinking blocks end with their signature.
 */
export class MessagesStream {
    keepAlive = `event: ping\ndata: {"type":"ping"}\n\n`;
    /** Index of the open block, or of the next block if none is open. */
    #index = 0;
    #open;
    #signature = "";
    start(start) {
        this.#signature = signReasoning(start.interactionId);
        return concat(typedEvent({ type: "message_start", message: emptyMessage(start) }), this.keepAlive);
    }
    push(events) {
        return joinTexts(events.map((event) => this.#event(event)));
    }
    finish(answer) {
        const delta = { type: "message_delta", delta: toStop(answer), usage: toUsage(answer) };
        return concat(this.#close(), typedEvent(delta), typedEvent({ type: "message_stop" }));
    }
    fail({ message, status, code }) {
        return typedEvent({ type: "error", error: { type: anthropicErrorType(status), message, code } });
    }
    #event(event) {
        switch (event.type) {
            case "text":
                return concat(this.#openBlock("text", { type: "text", text: "", citations: null }), this.#delta({ type: "text_delta", text: event.text }));
            case "reasoning": {
                const opening = this.#openBlock("thinking", { type: "thinking", thinking: "", signature: "" });
                return concat(opening, this.#delta({ type: "thinking_delta", thinking: event.text }));
            }
            case "tool_call":
                return concat(this.#close(), this.#openBlock("tool_use", emptyToolUse(event.id, event.name)));
            case "tool_call_arguments":
                return this.#delta({ type: "input_json_delta", partial_json: event.text });
        }
    }
    /** Opens a block, unless a block of this kind is open. */
    #openBlock(kind, block) {
        if (this.#open === kind)
            return "";
        const closing = this.#close();
        this.#open = kind;
        return concat(closing, typedEvent({ type: "content_block_start", index: this.#index, content_block: block }));
    }
    #delta(delta) {
        return typedEvent({ type: "content_block_delta", index: this.#index, delta });
    }
    #close() {
        if (this.#open === undefined)
            return "";
        const signature = this.#open === "thinking" ? this.#delta({ type: "signature_delta", signature: this.#signature }) : "";
        const stop = typedEvent({ type: "content_block_stop", index: this.#index });
        this.#open = undefined;
        this.#index++;
        return concat(signature, stop);
    }
}
//# sourceMappingURL=stream.js.map