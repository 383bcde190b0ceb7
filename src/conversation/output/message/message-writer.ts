import type { Message, ToolCall } from "../../message.js";
import type { OutputEvent, ParsedOutput } from "../output-parser.js";

/** A text, and where of the output it is from: numbers of characters, markers included. */
interface PlacedText {
  readonly type: Channel;
  text: string;
  readonly from: number;
  to: number;
}

/** An event before its tokens are looked for. */
export type WrittenEvent = PlacedText | Exclude<OutputEvent, { readonly type: Channel }>;

type Channel = "reasoning" | "text";

/**
 * Collects what an output says, as events and as a message. White space next to a marker belongs to the marker: it is
 * held at the end of a text until it is known what follows, and dropped at its beginning.
 */
export class MessageWriter {
  /** Whether there are markers at all; without any, white space is text. */
  readonly #trims: boolean;
  readonly #position: () => number;
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

  /** @param position how much of the output is read: the end of what is written */
  constructor(trims: boolean, position: () => number) {
    this.#trims = trims;
    this.#position = position;
  }

  readonly text = (text: string): void => this.#write("text", text);
  readonly reasoning = (text: string): void => this.#write("reasoning", text);

  /** A marker stood here. */
  boundary(): void {
    this.#space = "";
    this.#afterMarker = true;
  }

  /** What follows is a text of its own: a line break parts it from an earlier one. */
  newPart(): void {
    this.boundary();
    this.#inNewPart = true;
  }

  /** What was meant as a call, and is none, is text. */
  malformed(text: string): void {
    this.#malformed = true;
    this.#write("text", text);
  }

  /** A well-formed call. */
  call(id: string, name: string, args: string): void {
    this.newPart();
    const index = this.#calls.push({ id, name, arguments: args }) - 1;
    this.#events.push({ type: "tool_call", index, id, name }, { type: "tool_call_arguments", index, text: args });
  }

  /** The events since they were last taken. */
  take(): WrittenEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** At the end the white space that was held is text. */
  flush(): void {
    this.#tell(this.#channel, this.#space, this.#spaceAt, this.#spaceAt + this.#space.length);
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
    const to = this.#position();
    if (!this.#trims) {
      this.#tell(channel, text, to - text.length, to);
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
    if (this.#inNewPart && this.#told(channel) !== "") this.#space = `\n${this.#space}`;
    this.#inNewPart = false;
    this.#tell(channel, this.#space + rest.slice(0, end), this.#spaceAt, shownTo);
    this.#space = rest.slice(end);
    this.#spaceAt = shownTo;
  }

  #told(channel: Channel): string {
    return channel === "text" ? this.#content : this.#reasoning;
  }

  #tell(channel: Channel, text: string, from: number, to: number): void {
    if (text === "") return;
    if (channel === "text") this.#content += text;
    else this.#reasoning += text;
    const last = this.#events.at(-1);
    if (last?.type === channel) {
      last.text += text;
      last.to = to;
    } else this.#events.push({ type: channel, text, from, to });
  }
}

function endWithoutSpace(text: string): number {
  let end = text.length;
  while (end > 0 && " \t\r\n".includes(text.charAt(end - 1))) end--;
  return end;
}
