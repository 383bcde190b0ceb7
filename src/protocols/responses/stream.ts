import type { AnswerStart, GenerationAnswer } from "../generation-answer.js";
import { toLogprobs } from "../logprobs.js";
import { concat, type JsonText, joinTexts } from "../long-json.js";
import { type AnswerEvent, addToParts, type OutputPart } from "../output-parts.js";
import { KEEP_ALIVE_COMMENT, typedEvent } from "../sse.js";
import type { StreamEncoder, StreamFailure } from "../stream-encoder.js";
import { type NamespacedNames, readNamespacedNames } from "./namespaces.js";
import {
  addTokenIds,
  type ItemStatus,
  itemId,
  type OutputItem,
  toItem,
  toOutputText,
  toReasoningText,
} from "./output-items.js";
import { emptyResponse, type RequestEcho, type ResponseBody, toResponseBody } from "./response.js";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Writes the events of a streamed response in OpenAI's order: created, in_progress; for each item the added item, its
 * added part, the deltas, then part and item as done; completed or incomplete. Each event has the next sequence number.
 */
export class ResponsesStream implements StreamEncoder {
  readonly keepAlive = KEEP_ALIVE_COMMENT;
  readonly #echo: RequestEcho;
  readonly #namespaced: NamespacedNames;
  #response: ResponseBody | undefined;
  readonly #parts: OutputPart[] = [];
  #sequence = 0;

  constructor(echo: RequestEcho) {
    this.#echo = echo;
    this.#namespaced = readNamespacedNames(echo.tools);
  }

  start(start: AnswerStart): JsonText {
    const response = emptyResponse(start, this.#echo);
    this.#response = response;
    return concat(this.#event("response.created", { response }), this.#event("response.in_progress", { response }));
  }

  push(events: readonly AnswerEvent[]): JsonText {
    return joinTexts(events.map((event) => this.#write(event)));
  }

  finish(answer: GenerationAnswer): JsonText {
    const response = toResponseBody(answer, this.#echo);
    const cutOff = response.status === "incomplete";
    const isEmpty = this.#parts.length === 0 && response.output.length > 0;
    const opening = isEmpty ? this.#open({ type: "text", text: "" }) : "";
    const closing = this.#close(cutOff ? "incomplete" : "completed", answer);
    return concat(opening, closing, this.#event(cutOff ? "response.incomplete" : "response.completed", { response }));
  }

  /** Writes two events, because some clients wait for the failed response and others for the error. */
  fail({ message, type, code, param }: StreamFailure): JsonText {
    const response = { ...this.#response, status: "failed", error: { code, message } };
    const error = { type, code, message, param };
    return concat(this.#event("response.failed", { response }), this.#event("error", { code, message, param, error }));
  }

  #write(event: AnswerEvent): JsonText {
    if (event.type === "tool_call_arguments") {
      addToParts(this.#parts, event);
      return this.#event("response.function_call_arguments.delta", { delta: event.text, ...this.#place() });
    }
    if (event.type === "tool_call") return this.#open(event);
    const opening = this.#parts.at(-1)?.type === event.type ? this.#grow(event) : this.#open(event);
    const delta = { content_index: 0, delta: event.text, ...this.#place() };
    if (event.type === "reasoning") return concat(opening, this.#event("response.reasoning_text.delta", delta));
    const logprobs = toLogprobs(event.logprobs ?? []);
    return concat(opening, this.#event("response.output_text.delta", { logprobs, ...delta }));
  }

  #grow(event: AnswerEvent): JsonText {
    addToParts(this.#parts, event);
    return "";
  }

  /** Closes the open item and begins a new one with this event. */
  #open(event: Exclude<AnswerEvent, { type: "tool_call_arguments" }>): JsonText {
    const closing = this.#close("completed");
    addToParts(this.#parts, event);
    const { output_index, item_id } = this.#place();
    const empty: OutputPart = event.type === "tool_call" ? { ...event, arguments: "" } : { type: event.type, text: "" };
    const item = this.#item(empty, output_index, "in_progress");
    const added = concat(closing, this.#event("response.output_item.added", { output_index, item }));
    if (event.type === "tool_call") return added;
    const part = event.type === "text" ? toOutputText({ text: "" }) : toReasoningText("");
    return concat(added, this.#event("response.content_part.added", { item_id, output_index, content_index: 0, part }));
  }

  /**
   * Writes the complete open item as done.
   *
   * @param answer the answer whose last item this is
   */
  #close(status: ItemStatus, answer?: GenerationAnswer): JsonText {
    const part = this.#parts.at(-1);
    if (!part) return "";
    const place = this.#place();
    const item = this.#item(part, place.output_index, status);
    if (answer) addTokenIds(item, answer);
    const closing = this.#closePart(part);
    return concat(closing, this.#event("response.output_item.done", { output_index: place.output_index, item }));
  }

  #closePart(part: OutputPart): JsonText {
    const place = this.#place();
    if (part.type === "tool_call") {
      const { name } = this.#namespaced.get(part.name) ?? part;
      const text = part.arguments;
      return this.#event("response.function_call_arguments.done", { ...place, name, arguments: text });
    }
    const { text } = part;
    const partPlace = { ...place, content_index: 0 };
    const textDone =
      part.type === "text"
        ? this.#event("response.output_text.done", { ...partPlace, text, logprobs: toLogprobs(part.logprobs ?? []) })
        : this.#event("response.reasoning_text.done", { ...partPlace, text });
    const whole = part.type === "text" ? toOutputText(part) : toReasoningText(text);
    return concat(textDone, this.#event("response.content_part.done", { ...partPlace, part: whole }));
  }

  #item(part: OutputPart, index: number, status: ItemStatus): OutputItem {
    return toItem(part, { responseId: this.#id, index, status }, this.#namespaced);
  }

  get #id(): string {
    return this.#response?.id ?? "";
  }

  /** Returns the id and the index of the open item. */
  #place(): { readonly item_id: string; readonly output_index: number } {
    const index = this.#parts.length - 1;
    const part = this.#parts[index];
    return { item_id: part ? itemId(this.#id, part, index) : "", output_index: index };
  }

  #event(type: string, fields: Fields): JsonText {
    return typedEvent({ type, sequence_number: this.#sequence++, ...fields });
  }
}
