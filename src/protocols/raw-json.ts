import { randomUUID } from "node:crypto";

/** A value that an answer shows as this JSON text: numbers that `JSON.parse` would round stay as they are written. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** For who has no use for the spelling. */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/** Stands for such a value while the rest is written; nobody can have written it. */
const STAND_IN = randomUUID();
const STAND_INS = new RegExp(`"${STAND_IN}:([0-9]+)"`, "g");

/** `JSON.stringify`, but that each {@link RawJson} is its text. */
export function stringifyRaw(value: unknown): string {
  const texts: string[] = [];
  const json = JSON.stringify(value, function (this: Record<string, unknown>, key: string, shown: unknown) {
    const held = this[key];
    return held instanceof RawJson ? `${STAND_IN}:${texts.push(held.text) - 1}` : shown;
  });
  return texts.length === 0 ? json : json.replaceAll(STAND_INS, (_, index) => texts[Number(index)] ?? "null");
}
