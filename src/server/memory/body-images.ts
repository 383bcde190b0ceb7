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

/** Begins a data URL, and the name of the field that has base64 without one. */
const DATA = Buffer.from('"data');
const DATA_URL = /^"data:[^",]*;base64,/;
/** Longest beginning of a data URL. */
const MAX_HEAD = 128;
/** Names of the fields that have data URLs, with what follows them. */
const BEFORE_URL = /"(image_)?url"\s*:\s*$/;
const AFTER_DATA = /^"data"\s*:\s*"/;
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
    if (!bytes) return undefined;
    yield;
    const file = hashFile(bytes);
    const known = this.#known.get(session) ?? new LRUCache({ max: MAX_KNOWN });
    this.#known.set(session, known);
    known.set(print, file.sha256);
    yield;
    return file;
  }
}

/** Returns the next string of a body that may have the data of an image. */
function findBase64(json: Buffer, from: number): Base64Text | undefined {
  for (let at = json.indexOf(DATA, from); at >= 0; at = json.indexOf(DATA, at + DATA.length)) {
    const text = readField(json, at) ?? readDataUrl(json, at);
    if (text && text.to - text.data >= MIN_DATA && text.to - text.data <= MAX_DATA) return text;
  }
  return undefined;
}

function readField(json: Buffer, at: number): Base64Text | undefined {
  const field = AFTER_DATA.exec(json.toString("latin1", at, at + MAX_NAME))?.[0];
  if (field === undefined) return undefined;
  const from = at + field.length;
  return { from, to: findEnd(json, from), data: from };
}

function readDataUrl(json: Buffer, at: number): Base64Text | undefined {
  const head = DATA_URL.exec(json.toString("latin1", at, at + MAX_HEAD))?.[0];
  if (head === undefined || !BEFORE_URL.test(json.toString("latin1", Math.max(0, at - MAX_NAME), at))) return undefined;
  const data = at + head.length;
  return { from: at + 1, to: findEnd(json, data), data };
}

/** Base64 has no escapes, so the next quote ends it. */
function findEnd(json: Buffer, from: number): number {
  const end = json.indexOf(QUOTE, from);
  return end < 0 ? json.length : end;
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
