import type { Steps } from "../async/steps.js";

/** Builds values while JSON is parsed, so that each reader keeps exactly the parts of the spelling that it needs. */
export interface JsonBuilder<T> {
  string(value: string): T;
  /** `text` is the number as it is spelled. */
  number(text: string): T;
  literal(value: boolean | null): T;
  array(items: readonly T[]): T;
  /** Entries in order of first appearance. Of equal keys the last value counts, as in Python and JavaScript. */
  object(entries: ReadonlyMap<string, T>): T;
}

/** The text is not JSON (RFC 8259). */
export class JsonError extends Error {
  override readonly name: string = "JsonError";
}

/** The JSON is nested deeper than the reader allows. */
export class JsonDepthError extends JsonError {
  override readonly name = "JsonDepthError";
}

type Frame<T> =
  | { readonly kind: "array"; readonly items: T[] }
  | { readonly kind: "object"; readonly entries: Map<string, T>; key: string };

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const LITERALS = new Map<string, readonly [text: string, value: boolean | null]>([
  ["t", ["true", true]],
  ["f", ["false", false]],
  ["n", ["null", null]],
]);

/** Number of values in one step of a parse: at most some milliseconds, also of code that V8 has not compiled yet. */
const STEP_VALUES = 1024;

/**
 * Parses one JSON value, in steps for texts of tens of thousands of values. It keeps its own stack instead of recursing, so that no text
 * can exhaust the call stack.
 *
 * @param maxDepth maximum nesting of arrays and objects
 * @throws JsonError, JsonDepthError
 */
export function parseJson<T>(text: string, builder: JsonBuilder<T>, maxDepth = Number.POSITIVE_INFINITY): Steps<T> {
  return new Parser(text, builder, maxDepth).document();
}

class Parser<T> {
  readonly #text: string;
  readonly #builder: JsonBuilder<T>;
  readonly #maxDepth: number;
  readonly #stack: Frame<T>[] = [];
  #at = 0;

  constructor(text: string, builder: JsonBuilder<T>, maxDepth: number) {
    this.#text = text;
    this.#builder = builder;
    this.#maxDepth = maxDepth;
  }

  *document(): Steps<T> {
    for (let values = 1; ; values++) {
      if (values % STEP_VALUES === 0) yield;
      let value = this.#open();
      while (value !== undefined) {
        const frame = this.#stack.at(-1);
        if (frame === undefined) return this.#end(value.done);
        value = this.#close(frame, value.done);
      }
    }
  }

  /** Reads a scalar or an empty container. Returns undefined if it opened a container whose first value comes next. */
  #open(): { readonly done: T } | undefined {
    const c = this.#peek();
    if (c === "[") return this.#openArray();
    if (c === "{") return this.#openObject();
    return { done: this.#scalar(c) };
  }

  #openArray(): { readonly done: T } | undefined {
    this.#at++;
    if (this.#peek() === "]") {
      this.#at++;
      return { done: this.#builder.array([]) };
    }
    this.#push({ kind: "array", items: [] });
    return undefined;
  }

  #openObject(): { readonly done: T } | undefined {
    this.#at++;
    if (this.#peek() === "}") {
      this.#at++;
      return { done: this.#builder.object(new Map()) };
    }
    this.#push({ kind: "object", entries: new Map(), key: this.#key() });
    return undefined;
  }

  /** Adds a value to its container. Returns the container if that was its last value. */
  #close(frame: Frame<T>, value: T): { readonly done: T } | undefined {
    if (frame.kind === "array") frame.items.push(value);
    else frame.entries.set(frame.key, value);
    const c = this.#peek();
    this.#at++;
    if (c === ",") {
      if (frame.kind === "object") frame.key = this.#key();
      return undefined;
    }
    if (c !== (frame.kind === "array" ? "]" : "}")) throw this.#unexpected(this.#at - 1);
    this.#stack.pop();
    return { done: frame.kind === "array" ? this.#builder.array(frame.items) : this.#builder.object(frame.entries) };
  }

  #push(frame: Frame<T>): void {
    if (this.#stack.length >= this.#maxDepth)
      throw new JsonDepthError(`JSON is nested deeper than ${this.#maxDepth} levels`);
    this.#stack.push(frame);
  }

  #key(): string {
    if (this.#peek() !== '"') throw this.#unexpected(this.#at);
    const key = this.#string();
    if (this.#peek() !== ":") throw this.#unexpected(this.#at);
    this.#at++;
    return key;
  }

  #scalar(c: string): T {
    if (c === '"') return this.#builder.string(this.#string());
    const literal = LITERALS.get(c);
    if (literal !== undefined && this.#text.startsWith(literal[0], this.#at)) {
      this.#at += literal[0].length;
      return this.#builder.literal(literal[1]);
    }
    NUMBER.lastIndex = this.#at;
    const number = NUMBER.exec(this.#text)?.[0];
    if (number === undefined) throw this.#unexpected(this.#at);
    this.#at += number.length;
    return this.#builder.number(number);
  }

  #string(): string {
    const start = this.#at;
    let end = start + 1;
    for (let code = this.#text.charCodeAt(end); code !== 0x22; code = this.#text.charCodeAt(end)) {
      if (Number.isNaN(code)) throw new JsonError("JSON ends inside a string");
      end += code === 0x5c ? 2 : 1;
    }
    this.#at = end + 1;
    try {
      return JSON.parse(this.#text.slice(start, end + 1)) as string;
    } catch {
      throw new JsonError(`JSON has an invalid string at position ${start}`);
    }
  }

  #peek(): string {
    let c = this.#text[this.#at];
    while (c === " " || c === "\n" || c === "\r" || c === "\t") c = this.#text[++this.#at];
    return c ?? "";
  }

  #end(value: T): T {
    if (this.#peek() !== "") throw this.#unexpected(this.#at);
    return value;
  }

  #unexpected(at: number): JsonError {
    return new JsonError(
      at >= this.#text.length ? "JSON ends too early" : `JSON has an unexpected character at position ${at}`,
    );
  }
}
