import { createCipheriv, randomBytes, randomUUID } from "node:crypto";
import { LRUCache } from "lru-cache";
import { type HashedFile, hashFile, IMAGE_LIMITS, readBase64, type TakenImages } from "../../protocols/image-reader.js";
import type { Session } from "../../session/session.js";
import type { Steps } from "../../support/async/steps.js";

/**
 * Image data in request bodies. Before a body is parsed, each text of base64 is replaced by a short stand-in, so that neither JSON nor
 * the remembered messages of a session have megabytes of it. An agent repeats its images with each call: a fingerprint of the text
 * recognizes those that the session has.
 */

/** Bytes of base64. Shorter data is parsed with the rest of the body. */
const MIN_DATA = 4096;
const MAX_DATA = Math.ceil(IMAGE_LIMITS.bytes / 3) * 4;

/** Begins each stand-in, before the digest of the file. It is random, so no client can have sent it. */
const STAND_IN = `${randomUUID()}:`;

const DATA_URL = /^data:[^",]*;base64,/;
/** Longest beginning of a data URL. */
const MAX_HEAD = 128;
/** Names of fields with what follows them: those that have data URLs, and the one that has base64 without a beginning. */
const BEFORE_URL = /"(image_)?url"\s*:\s*$/;
const BEFORE_DATA = /"data"\s*:\s*$/;
const MAX_NAME = 64;
const QUOTE = 0x22;

/** Recognized images of a session. One that was not used lately is read again. */
const MAX_KNOWN = 256;

/** Base64 in a body, and the string that has it: the same, or a data URL. */
interface Base64Text {
  /** Of the string's content. */
  readonly from: number;
  readonly to: number;
  /** Offset of the base64. */
  readonly data: number;
}

/** A body without image data. */
export interface BodyWithoutImages {
  readonly json: Buffer;
  /** Number of the stand-ins in it. */
  readonly count: number;
  readonly images: TakenImages;
}

/** Takes the image data out of the bodies of sessions. */
export class BodyImages {
  /** The digests of files by the fingerprint of their base64. */
  readonly #known = new WeakMap<Session, LRUCache<string, string>>();

  /** Returns undefined if the body has none. */
  *take(json: Buffer, session: Session): Steps<BodyWithoutImages | undefined> {
    const files = new Map<string, Uint8Array>();
    const pieces: Buffer[] = [];
    let copied = 0;
    let count = 0;
    for (let text = findBase64(json, 0); text; text = findBase64(json, text.to)) {
      const base64 = json.subarray(text.data, text.to);
      const print = fingerprint(base64);
      const file = this.#recognize(print, session) ?? (yield* this.#read(base64, print, session));
      if (!file) continue;
      const { sha256, bytes } = file;
      files.set(sha256, bytes);
      count++;
      pieces.push(json.subarray(copied, text.from), Buffer.from(STAND_IN + sha256));
      copied = text.to;
    }
    if (count === 0) return undefined;
    pieces.push(json.subarray(copied));
    const find = (value: string): HashedFile | undefined => {
      if (!value.startsWith(STAND_IN)) return undefined;
      const sha256 = value.slice(STAND_IN.length);
      const bytes = files.get(sha256);
      return bytes && { sha256, bytes };
    };
    return { json: Buffer.concat(pieces), count, images: { find } };
  }

  /** Returns undefined for an image that the session does not have: the call that had it first may not have been recorded. */
  #recognize(print: string, session: Session): HashedFile | undefined {
    const sha256 = this.#known.get(session)?.get(print);
    const bytes = sha256 === undefined ? undefined : session.imageFile(sha256);
    return sha256 !== undefined && bytes ? { sha256, bytes } : undefined;
  }

  /** Returns undefined if the text is not base64. */
  *#read(base64: Buffer, print: string, session: Session): Steps<HashedFile | undefined> {
    const bytes = readBase64(base64.toString("latin1"));
    yield;
    if (!bytes) return undefined;
    const file = hashFile(bytes);
    const known = this.#known.get(session) ?? new LRUCache({ max: MAX_KNOWN });
    this.#known.set(session, known);
    known.set(print, file.sha256);
    yield;
    return file;
  }
}

/**
 * Returns the next string of a body that may have the data of an image. Only strings without a quote for as long as {@link MIN_DATA} are
 * looked at: a body could consist of short ones that begin like images.
 *
 * @param from offset of the quote that ends the text before, or 0
 */
function findBase64(json: Buffer, from: number): Base64Text | undefined {
  // Data that begins at `from` or later contains the byte at `from + MIN_DATA`, or begins after it.
  for (let at = from + MIN_DATA; at < json.length; ) {
    // Base64 has no escapes, so it is between two quotes.
    const start = json.lastIndexOf(QUOTE, at - 1) + 1;
    const end = json.indexOf(QUOTE, at);
    const to = end < 0 ? json.length : end;
    const text = to - start < MIN_DATA ? undefined : readText(json, start, to);
    if (text && text.to - text.data >= MIN_DATA && text.to - text.data <= MAX_DATA) return text;
    at = to + MIN_DATA;
  }
  return undefined;
}

/** Returns the base64 of a string with the content [from, to); undefined if its field or its beginning is not that of an image. */
function readText(json: Buffer, from: number, to: number): Base64Text | undefined {
  const before = json.toString("latin1", Math.max(0, from - 1 - MAX_NAME), Math.max(0, from - 1));
  if (BEFORE_DATA.test(before)) return { from, to, data: from };
  if (!BEFORE_URL.test(before)) return undefined;
  const head = DATA_URL.exec(json.toString("latin1", from, from + MAX_HEAD))?.[0];
  return head === undefined ? undefined : { from, to, data: from + head.length };
}

const KEY = randomBytes(16);
const NONCE = randomBytes(12);

/**
 * Returns 16 bytes that depend on the whole text, at nearly the speed of memory: the tag of AES-GCM without a message. The key is secret,
 * so no client can make another text with the same tag.
 */
function fingerprint(text: Buffer): string {
  const cipher = createCipheriv("aes-128-gcm", KEY, NONCE).setAAD(text);
  cipher.final();
  return cipher.getAuthTag().toString("latin1");
}

/** Returns the number of stand-ins in a parsed body that protocols read as images. All other texts belong to the prompt. */
export function countStandIns(body: unknown): number {
  const { messages, input, contents } = Object(body) as Fields;
  return countEach([messages, input, contents].flat(), ({ content, output, parts }) =>
    countEach([content, output, parts].flat(), countInPart),
  );
}

type Fields = Readonly<Record<string, unknown>>;

const countEach = (values: readonly unknown[], count: (fields: Fields) => number): number =>
  values.reduce(
    (sum: number, value) => (typeof value === "object" && value !== null ? sum + count(value as Fields) : sum),
    0,
  );

/** A part of a message, or of the result of a tool. */
function countInPart(part: Fields): number {
  const { type, image_url, source, content, functionResponse, function_response, inlineData, inline_data } = part;
  if (type === "tool_result") return countEach([content].flat(), countInPart);
  const { parts } = Object(functionResponse ?? function_response) as Fields;
  if (parts !== undefined) return countEach([parts].flat(), countInPart);
  const field = IMAGE_URL_TYPES.has(type)
    ? (Object(image_url).url ?? image_url)
    : type === "image"
      ? Object(source).data
      : Object(inlineData ?? inline_data).data;
  return typeof field === "string" && field.startsWith(STAND_IN) ? 1 : 0;
}

const IMAGE_URL_TYPES: ReadonlySet<unknown> = new Set(["image_url", "input_image", "computer_screenshot"]);
