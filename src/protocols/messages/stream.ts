import type { AnswerStart, GenerationAnswer } from "../generation.js";
import type { AnswerEvent } from "../output-parts.js";
import { typedEvent } from "../sse.js";
import type { StreamEncoder, StreamFailure } from "../stream-encoder.js";
import { anthropicErrorType } from "./anthropic-error.js";
import { type Block, emptyMessage, emptyToolUse, toStop, toUsage } from "./response.js";

type Kind = Block["type"];

/**
 * Events of a streamed message in Anthropic's order: message_start; each block's start, deltas and stop; message_delta
 * with the stop reason and the usage; message_stop. Thinking has no signature: an empty one ends its block.
 */
export class MessagesStream implements StreamEncoder {
  readonly keepAlive = typedEvent({ type: "ping" });
  /** Index of the block that is open, or of the next one. */
  #index = 0;
  #open: Kind | undefined;

  start(start: AnswerStart): string {
    return typedEvent({ type: "message_start", message: emptyMessage(start) }) + this.keepAlive;
  }

  push(events: readonly AnswerEvent[]): string {
    return events.map((event) => this.#event(event)).join("");
  }

  finish(answer: GenerationAnswer): string {
    const delta = { type: "message_delta", delta: toStop(answer), usage: toUsage(answer) };
    return this.#close() + typedEvent(delta) + typedEvent({ type: "message_stop" });
  }

  fail({ message, status, code }: StreamFailure): string {
    return typedEvent({ type: "error", error: { type: anthropicErrorType(status), message, code } });
  }

  #event(event: AnswerEvent): string {
    switch (event.type) {
      case "text":
        return (
          this.#in("text", { type: "text", text: "", citations: null }) +
          this.#delta({ type: "text_delta", text: event.text })
        );
      case "reasoning": {
        const opening = this.#in("thinking", { type: "thinking", thinking: "", signature: "" });
        return opening + this.#delta({ type: "thinking_delta", thinking: event.text });
      }
      case "tool_call":
        return this.#close() + this.#in("tool_use", emptyToolUse(event.id, event.name));
      case "tool_call_arguments":
        return this.#delta({ type: "input_json_delta", partial_json: event.text });
    }
  }

  /** Opens a block unless one of its kind is open. */
  #in(kind: Kind, block: Block): string {
    if (this.#open === kind) return "";
    const closing = this.#close();
    this.#open = kind;
    return closing + typedEvent({ type: "content_block_start", index: this.#index, content_block: block });
  }

  #delta(delta: object): string {
    return typedEvent({ type: "content_block_delta", index: this.#index, delta });
  }

  #close(): string {
    if (this.#open === undefined) return "";
    const signature = this.#open === "thinking" ? this.#delta({ type: "signature_delta", signature: "" }) : "";
    const stop = typedEvent({ type: "content_block_stop", index: this.#index });
    this.#open = undefined;
    this.#index++;
    return signature + stop;
  }
}
