import { randomUUID } from "node:crypto";
import type { MessageWriter } from "./message-writer.js";

/** Creates an id for a call without one. */
export type CreateCallId = () => string;

export const randomCallId: CreateCallId = () => `call_${randomUUID().replaceAll("-", "")}`;

/**
 * A call that is being read. It is written as an event only when the whole call is well formed, because any character of
 * the arguments can make it malformed, and events cannot be taken back.
 */
export class PendingCall {
  readonly #out: MessageWriter;
  readonly #newId: CreateCallId;
  #header: { readonly name: string; readonly id: string | undefined } | undefined;
  #arguments = "";

  constructor(out: MessageWriter, newId: CreateCallId) {
    this.#out = out;
    this.#newId = newId;
  }

  get isNamed(): boolean {
    return this.#header !== undefined;
  }

  get name(): string | undefined {
    return this.#header?.name;
  }

  get hasArguments(): boolean {
    return this.#arguments !== "";
  }

  /** @param id the id that the model gave the call, if its format has ids */
  setName(name: string, id?: string): void {
    this.#header = { name, id };
  }

  /** Appends to the text of the arguments, which is well formed so far. */
  readonly arguments = (text: string): void => {
    this.#arguments += text;
  };

  /** Writes the call, which is well formed. A call without arguments gets an empty object. */
  close(): void {
    if (this.#header === undefined) return;
    this.#out.writeCall(this.#header.id ?? this.#newId(), this.#header.name, this.#arguments || "{}");
  }
}
