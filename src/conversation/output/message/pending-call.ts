import { randomUUID } from "node:crypto";
import type { MessageWriter } from "./message-writer.js";

/** How a call without an id of its own gets one. */
export type CallIds = () => string;

export const randomCallId: CallIds = () => `call_${randomUUID().replaceAll("-", "")}`;

/** When a call is told: as soon as its name is known and its arguments begin well, or once all of it is well formed. */
export type CallPolicy = "early" | "whole";

/** What a call is told to. */
export interface CallContext {
  readonly out: MessageWriter;
  readonly policy: CallPolicy;
  /** Called when all that was read of the call so far has been told. */
  readonly onTold: () => void;
}

/** One call while it is read. */
export class PendingCall {
  readonly #context: CallContext;
  readonly #newId: CallIds;
  #header: { readonly name: string; readonly id: string | undefined } | undefined;
  #untold = "";
  #index: number | undefined;

  constructor(context: CallContext, newId: CallIds) {
    this.#context = context;
    this.#newId = newId;
  }

  get isNamed(): boolean {
    return this.#header !== undefined;
  }

  /** Whether the agent was told of it already: then it cannot become text any more. */
  get isTold(): boolean {
    return this.#index !== undefined;
  }

  /** @param id the id that the model gave it, where its format has one */
  named(name: string, id?: string): void {
    this.#header = { name, id };
    if (this.#context.policy === "early" && this.#untold !== "") this.#tell();
  }

  /** More of the arguments' text, which has begun well. */
  readonly arguments = (text: string): void => {
    this.#untold += text;
    if (this.isTold || (this.#context.policy === "early" && this.isNamed)) this.#tell();
  };

  /** The call is well formed. One without arguments has an empty object of them. */
  close(): void {
    if (this.isTold) return;
    if (this.#untold === "") this.#untold = "{}";
    this.#tell();
  }

  /**
   * The call is malformed.
   *
   * @param written what was read of it and not told: arguments of a call that was told, else text
   */
  break(written: string): void {
    if (!this.isTold) this.#context.out.malformed(written);
    else {
      this.#context.out.breakCall();
      this.rest(written);
    }
  }

  /** What follows in a malformed call. */
  readonly rest = (text: string): void => {
    if (this.#index === undefined) this.#context.out.text(text);
    else this.#context.out.callArguments(this.#index, text);
  };

  #tell(): void {
    if (this.#header === undefined) return;
    this.#index ??= this.#context.out.beginCall(this.#header.id ?? this.#newId(), this.#header.name);
    this.#context.out.callArguments(this.#index, this.#untold);
    this.#untold = "";
    this.#context.onTold();
  }
}
