import { randomUUID } from "node:crypto";

/** A JSON text that an answer contains verbatim, so that numbers that `JSON.parse` would round keep their spelling. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Lets plain `JSON.stringify` work, which may round numbers. */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/**
 * Replaces raw values while the rest is written: `JSON.stringify` cannot insert text verbatim. The id is random, so no
 * text of a model or a client can contain it.
 */
const PLACEHOLDER = randomUUID();
const PLACEHOLDERS = new RegExp(`"${PLACEHOLDER}:([0-9]+)"`, "g");

/** Like `JSON.stringify`, but writes the text of each {@link RawJson}. */
export function stringifyRaw(value: unknown): string {
  const texts: string[] = [];
  // `this[key]` is the original value: `shown` is already the result of `toJSON`.
  const json = JSON.stringify(value, function (this: Record<string, unknown>, key: string, shown: unknown) {
    const original = this[key];
    return original instanceof RawJson ? `${PLACEHOLDER}:${texts.push(original.text) - 1}` : shown;
  });
  return texts.length === 0 ? json : json.replaceAll(PLACEHOLDERS, (_, index) => texts[Number(index)] ?? "null");
}
