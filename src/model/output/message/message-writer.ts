import type { Message, ToolCall } from "../../../conversation/message.js";
import type { OutputEvent, ParsedOutput } from "../output-parser.js";
import type { TokenSpan } from "../tokens/text-tokens.js";

type Channel = "reasoning" | "text";
type WrittenText = { readonly type: Channel; text: string; tokens?: TokenSpan };
type WrittenEvent = WrittenText | Exclude<OutputEvent, { readonly type: Channel }>;

/** Positions in an output. A position is a number of characters, including the characters of markers. */
export interface OutputPlaces {
  /** Returns how much of the output is read, which is the end of the text that is being written. */
  readonly position: () => number;
  /** Returns the tokens of the text between two places, if events have tokens. */
  readonly findTokens?: (from: number, to: number) => TokenSpan;
}

/**
 * Collects an output as events and as a message. White space next to a marker belongs to the marker. At the end of a text,
 * it is held back until the next text or marker; at the beginning, it is dropped.
 */
export class MessageWriter {
  /** True if the format has markers. Otherwise all white space is text. */
  readonly #trims: boolean;
  readonly #places: OutputPlaces;
  #events: WrittenEvent[] = [];
  #content = "";
  #reasoning = "";
  readonly #calls: ToolCall[] = [];
  #malformed = false;
  #channel: Channel = "text";
  #space = "";
  #spaceAt = 0;
  #afterMarker = false;
  #inNewPart = false;

  constructor(trims: boolean, places: OutputPlaces) {
    this.#trims = trims;
    this.#places = places;
  }

  readonly text = (text: string): void => this.#write("text", text);
  readonly reasoning = (text: string): void => this.#write("reasoning", text);

  /** Notes that a marker stands here. */
  markBoundary(): void {
    this.#space = "";
    this.#afterMarker = true;
  }

  /** Begins a new text. A line break separates it from an earlier one. */
  beginPart(): void {
    this.markBoundary();
    this.#inNewPart = true;
  }

  /** Writes a malformed call, as text. */
  writeMalformed(text: string): void {
    this.#malformed = true;
    this.#write("text", text);
  }

  /** Writes a well-formed call. */
  writeCall(id: string, name: string, args: string): void {
    this.beginPart();
    const index = this.#calls.push({ id, name, arguments: args }) - 1;
    this.#events.push({ type: "tool_call", index, id, name }, { type: "tool_call_arguments", index, text: args });
  }

  /** Returns the events since the last call of this method. */
  take(): OutputEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** Writes the white space that was held back. */
  flush(): void {
    this.#emit(this.#channel, this.#space, this.#spaceAt, this.#spaceAt + this.#space.length);
    this.#space = "";
  }

  get message(): Message {
    return {
      role: "assistant",
      content: this.#content,
      ...(this.#reasoning === "" ? {} : { reasoning: this.#reasoning }),
      ...(this.#calls.length === 0 ? {} : { toolCalls: [...this.#calls] }),
    };
  }

  get toolCalls(): ParsedOutput["toolCalls"] {
    if (this.#malformed) return "malformed";
    return this.#calls.length > 0 ? "calls" : "none";
  }

  #write(channel: Channel, text: string): void {
    const to = this.#places.position();
    if (!this.#trims) {
      this.#emit(channel, text, to - text.length, to);
      return;
    }
    if (channel !== this.#channel) this.flush();
    this.#channel = channel;
    const rest = this.#afterMarker ? text.replace(/^[ \t\r\n]+/, "") : text;
    if (rest === "") return;
    this.#afterMarker = false;
    const end = endWithoutSpace(rest);
    if (this.#space === "") this.#spaceAt = to - rest.length;
    if (end === 0) {
      this.#space += rest;
      return;
    }
    const shownTo = to - rest.length + end;
    if (this.#inNewPart && this.#writtenText(channel) !== "") this.#space = `\n${this.#space}`;
    this.#inNewPart = false;
    this.#emit(channel, this.#space + rest.slice(0, end), this.#spaceAt, shownTo);
    this.#space = rest.slice(end);
    this.#spaceAt = shownTo;
  }

  #writtenText(channel: Channel): string {
    return channel === "text" ? this.#content : this.#reasoning;
  }

  #emit(channel: Channel, text: string, from: number, to: number): void {
    if (text === "") return;
    if (channel === "text") this.#content += text;
    else this.#reasoning += text;
    const last = this.#events.at(-1);
    const event: WrittenText = last?.type === channel ? last : { type: channel, text: "" };
    if (event !== last) this.#events.push(event);
    event.text += text;
    if (channel === "reasoning" || this.#places.findTokens === undefined) return;
    const tokens = this.#places.findTokens(from, to);
    event.tokens = { from: event.tokens?.from ?? tokens.from, to: tokens.to };
  }
}

function endWithoutSpace(text: string): number {
  let end = text.length;
  while (end > 0 && " \t\r\n".includes(text.charAt(end - 1))) end--;
  return end;
}
