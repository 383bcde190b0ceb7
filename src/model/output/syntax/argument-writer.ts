import type { PendingCall } from "../message/pending-call.js";
import { toArgumentJson, type ValueRules } from "./argument-json.js";

/**
 * Builds the JSON text of arguments that a model did not write as JSON, one complete argument after another.
 */
export class ArgumentWriter {
  readonly #call: PendingCall;
  #count = 0;

  constructor(call: PendingCall) {
    this.#call = call;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** @param types the JSON types that the tool's schema allows; undefined if it does not say */
  addText(key: string, value: string, types: ReadonlySet<string> | undefined, rules: ValueRules): void {
    this.add(key, toArgumentJson(value, types, rules));
  }

  /** @param json the value's JSON text */
  add(key: string, json: string): void {
    this.#call.arguments(`${this.#count === 0 ? "{" : ", "}${JSON.stringify(key)}: ${json}`);
    this.#count++;
  }

  end(): void {
    if (this.#count > 0) this.#call.arguments("}");
  }
}
