import { randomUUID } from "node:crypto";
import type { MessageWriter } from "./message-writer.js";

/** How a call without an id of its own gets one. */
export type CallIds = () => string;

export const randomCallId: CallIds = () => `call_${randomUUID().replaceAll("-", "")}`;

/**
 * One call while it is read. It is told once all of it is known to be well formed: any character of its arguments may
 * break it, and what an agent was told cannot be taken back.
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

  /** @param id the id that the model gave it, where its format has one */
  named(name: string, id?: string): void {
    this.#header = { name, id };
  }

  /** More of the arguments' text, which is well formed so far. */
  readonly arguments = (text: string): void => {
    this.#arguments += text;
  };

  /** The call is well formed. One without arguments has an empty object of them. */
  close(): void {
    if (this.#header === undefined) return;
    this.#out.call(this.#header.id ?? this.#newId(), this.#header.name, this.#arguments || "{}");
  }
}
