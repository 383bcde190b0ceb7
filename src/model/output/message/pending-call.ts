import { randomUUID } from "node:crypto";
import type { MessageWriter } from "./message-writer.js";

/** Makes an id for a call to which the model gave none. */
export type CallIds = () => string;

export const randomCallId: CallIds = () => `call_${randomUUID().replaceAll("-", "")}`;

/**
 * A call that is being read. It is told when all of it is known to be well formed: any character of the arguments may
 * make it malformed, and events cannot be taken back.
 */
export class PendingCall {
  readonly #out: MessageWriter;
  readonly #newId: CallIds;
  #header: { readonly name: string; readonly id: string | undefined } | undefined;
  #arguments = "";

  constructor(out: MessageWriter, newId: CallIds) {
    this.#out = out;
    this.#newId = newId;
  }

  get isNamed(): boolean {
    return this.#header !== undefined;
  }

  /** @param id the id that the model gave the call, if its format has ids */
  named(name: string, id?: string): void {
    this.#header = { name, id };
  }

  /** Adds to the text of the arguments, which is well formed so far. */
  readonly arguments = (text: string): void => {
    this.#arguments += text;
  };

  /** Tells the call, which is well formed. Without arguments it gets an empty object. */
  close(): void {
    if (this.#header === undefined) return;
    this.#out.call(this.#header.id ?? this.#newId(), this.#header.name, this.#arguments || "{}");
  }
}
