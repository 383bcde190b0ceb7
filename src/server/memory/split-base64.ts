import type { Steps } from "../../support/async/steps.js";

/**
 * Bytes of base64 that are handled in one step, in less than a millisecond. A multiple of four, so that each part can be decoded
 * alone.
 */
export const STEP_BYTES = 512 * 1024;

/** The keys of base64 in a stored response. No text can contain them: inside of a string, JSON escapes their quotes. */
const KEYS = ['"ids":"', '"logprobs":"'].map((key) => Buffer.from(key));
const QUOTE = 0x22;
const PADDING = 0x3d;

/** A JSON text whose long strings were taken out. */
export interface SplitJson {
  /** The JSON, with the index of each base64 text instead of the text. */
  readonly json: string;
  /** The base64 texts, as views of the bytes. */
  readonly base64: readonly Buffer[];
}

/** Takes the base64 out of the JSON of a stored response. `JSON.parse` of all of it would stall the event loop. */
export function* splitBase64(bytes: Buffer): Steps<SplitJson> {
  const texts: string[] = [];
  const base64: Buffer[] = [];
  const found = KEYS.map((key) => ({ key, at: bytes.indexOf(key) }));
  let copied = 0;
  let yielded = 0;
  for (;;) {
    const next = found.filter(({ at }) => at >= 0).sort((a, b) => a.at - b.at)[0];
    if (!next) break;
    const from = next.at + next.key.length;
    const to = bytes.indexOf(QUOTE, from);
    // A damaged text, which `JSON.parse` refuses.
    if (to < 0) break;
    texts.push(bytes.toString("utf8", copied, from - 1), String(base64.length));
    base64.push(bytes.subarray(from, to));
    copied = to + 1;
    for (const each of found) if (each.at >= 0 && each.at < copied) each.at = bytes.indexOf(each.key, copied);
    if (copied - yielded < STEP_BYTES) continue;
    yielded = copied;
    yield;
  }
  texts.push(bytes.toString("utf8", copied));
  return { json: texts.join(""), base64 };
}

/** Returns the bytes of a base64 text. */
export function* decodeBase64(text: Buffer): Steps<ArrayBuffer> {
  const padding = text.at(-2) === PADDING ? 2 : text.at(-1) === PADDING ? 1 : 0;
  const bytes = Buffer.from(new ArrayBuffer((text.length / 4) * 3 - padding));
  for (let from = 0; from < text.length; from += STEP_BYTES) {
    if (from > 0) yield;
    bytes.write(text.toString("latin1", from, from + STEP_BYTES), (from / 4) * 3, "base64");
  }
  return bytes.buffer;
}
