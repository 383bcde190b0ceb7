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
const BASE64 = ";base64,";
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
      const sha256 = this.#recognize(json, text, session) ?? (yield* this.#read(json, text, { session, files }));
      if (sha256 === undefined) continue;
      count++;
      pieces.push(json.subarray(copied, text.from), Buffer.from(STAND_IN + sha256));
      copied = text.to;
    }
    if (count === 0) return undefined;
    pieces.push(json.subarray(copied));
    const find = (value: string): HashedFile | undefined => {
      if (!value.startsWith(STAND_IN)) return undefined;
      const sha256 = value.slice(STAND_IN.length);
      const bytes = files.get(sha256) ?? session.imageFile(sha256);
      if (!bytes) throw new Error(`the file of image ${sha256} is missing`);
      return { sha256, bytes };
    };
    return { json: Buffer.concat(pieces), count, images: { find } };
  }

  #recognize(json: Buffer, { data, to }: Base64Text, session: Session): string | undefined {
    const known = this.#known.get(session);
    const sha256 = known?.get(fingerprint(json.subarray(data, to)));
    // The call that had it first may not have been recorded.
    return sha256 !== undefined && session.imageFile(sha256) ? sha256 : undefined;
  }

  /** Returns the digest of the file, and adds the file; undefined if the text is not base64. */
  *#read(
    json: Buffer,
    { data, to }: Base64Text,
    { session, files }: { readonly session: Session; readonly files: Map<string, Uint8Array> },
  ): Steps<string | undefined> {
    const bytes = readBase64(json.toString("latin1", data, to));
    if (!bytes) return undefined;
    yield;
    const { sha256 } = hashFile(bytes);
    files.set(sha256, bytes);
    const known = this.#known.get(session) ?? new LRUCache({ max: MAX_KNOWN });
    this.#known.set(session, known);
    known.set(fingerprint(json.subarray(data, to)), sha256);
    yield;
    return sha256;
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
  const head = json.toString("latin1", at, at + MAX_HEAD).indexOf(BASE64);
  if (head < 0 || !BEFORE_URL.test(json.toString("latin1", Math.max(0, at - MAX_NAME), at))) return undefined;
  const data = at + head + BASE64.length;
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

/** Fields on the way from a conversation to its images. Others, such as the arguments of tools, are part of the prompt's text. */
const CONTAINERS = [
  "messages",
  "input",
  "contents",
  "content",
  "output",
  "parts",
  "functionResponse",
  "function_response",
];

/** Returns the number of stand-ins in a parsed body that protocols read as images. */
export function countStandIns(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + countStandIns(item), 0);
  const { image_url, source, inlineData, inline_data } = value as Record<string, unknown>;
  const fields = [image_url, Object(image_url).url, Object(source).data, Object(inlineData ?? inline_data).data];
  let count = fields.filter((field) => typeof field === "string" && field.startsWith(STAND_IN)).length;
  for (const name of CONTAINERS) count += countStandIns((value as Record<string, unknown>)[name]);
  return count;
}
