import { randomUUID } from "node:crypto";
import type { Steps } from "../../support/async/steps.js";
import { findArrayStart, findElementEnds, mayHaveField } from "../../support/json/elements.js";
import { holdsMedia } from "./holds-media.js";

/**
 * An agent sends its whole conversation with each call. If a body begins with the same bytes as an earlier one, only the part
 * after the shared messages is decoded and parsed. The shared messages are the same objects as before, so that caches with
 * objects as keys find them.
 */

/** An earlier body. */
export interface KnownBody {
  readonly bytes: Buffer;
  /** The field that holds the conversation. */
  readonly name: string;
  /** Offset of the end of each element of the conversation, in bytes. */
  readonly ends: readonly number[];
  readonly elements: readonly unknown[];
  /** Offset of the first byte after the opening bracket of the conversation. */
  readonly start: number;
}

/** The part that a body shares with a known one: its first `count` elements and everything before them. */
export interface SharedPrefix {
  readonly body: KnownBody;
  readonly count: number;
}

/**
 * Returns true if a body continues the known one. Otherwise it is another conversation with the same beginning, such as the
 * same system prompt.
 */
export function isContinuation({ body, count }: SharedPrefix): boolean {
  return 2 * count >= body.elements.length;
}

/** Fields that hold the conversation: `messages` (chat completions and messages), `input` (responses), `contents` (Gemini's API). */
const CONVERSATIONS = ["messages", "input", "contents"] as const;

/** Replaces the shared elements in a body that is parsed without them. It is random, so no client can have sent it. */
const STAND_IN = randomUUID();
const STAND_IN_JSON = Buffer.from(JSON.stringify(STAND_IN));

/** Returns the known body that shares the most elements; undefined if none shares one. */
export function findShared(bytes: Buffer, known: readonly KnownBody[]): SharedPrefix | undefined {
  let best: SharedPrefix | undefined;
  for (const body of known) {
    const count = countShared(bytes, body);
    if (count > (best?.count ?? 0)) best = { body, count };
  }
  return best;
}

/** Returns how many elements of the known body lie completely within the bytes that both bodies start with. */
function countShared(bytes: Buffer, { bytes: known, ends }: KnownBody): number {
  let low = 0;
  // Compares only what follows the elements that are known to be shared, so no byte is compared more than a few times.
  const isShared = (count: number): boolean => {
    const [from, to] = [ends[low - 1] ?? 0, ends[count - 1] ?? 0];
    return to <= bytes.length && bytes.compare(known, from, to, from, to) === 0;
  };
  if (isShared(ends.length)) return ends.length;
  let high = ends.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (isShared(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** Returns the body with one stand-in instead of the shared elements. */
export function cutShared(bytes: Buffer, { body, count }: SharedPrefix): Buffer {
  return replaceWithStandIn(bytes, body.start, body.ends[count - 1] ?? body.start);
}

function replaceWithStandIn(bytes: Buffer, from: number, to: number): Buffer {
  return Buffer.concat([bytes.subarray(0, from), STAND_IN_JSON, bytes.subarray(to)]);
}

/**
 * Puts the shared elements back into the value of {@link cutShared}.
 *
 * @returns undefined if the stand-in is not where it must be, which happens if the body has the field twice
 */
export function restoreShared(value: unknown, { body, count }: SharedPrefix): Record<string, unknown> | undefined {
  const elements = readConversation(value, body.name);
  if (elements?.[0] !== STAND_IN) return undefined;
  return { ...Object(value), [body.name]: [...body.elements.slice(0, count), ...elements.slice(1)] };
}

/** Returns the body in the form in which it is kept; undefined if it has no conversation of objects. */
export function* toKnown(bytes: Buffer, value: unknown, shared?: SharedPrefix): Steps<KnownBody | undefined> {
  const name = shared?.body.name ?? CONVERSATIONS.find((field) => readConversation(value, field));
  const elements = name && readConversation(value, name);
  if (!name || !elements) return undefined;
  const start = shared?.body.start ?? findArrayStart(bytes, new Set([name]));
  if (start === undefined) return undefined;
  yield;
  const sharedEnds = shared?.body.ends.slice(0, shared.count) ?? [];
  const ends = [...sharedEnds, ...findElementEnds(bytes, sharedEnds.at(-1) ?? start)];
  const end = ends.at(-1);
  if (end === undefined || ends.length !== elements.length) return undefined;
  yield;
  // If a body has the field twice, `JSON.parse` uses the later one.
  if (!shared && mayHaveField(bytes, name, end)) return undefined;
  yield;
  return withoutMedia({ bytes, name, start, ends, elements }, sharedEnds.length);
}

/**
 * Returns the part of a body before the first element with an image, a file or audio. Their data is not kept: it would displace
 * many other conversations, and reading it again costs no more than a scan.
 *
 * @param checked number of leading elements that are known to have no such data
 */
function withoutMedia(body: KnownBody, checked: number): KnownBody | undefined {
  const found = body.elements.slice(checked).findIndex((element) => holdsMedia(element));
  if (found < 0) return body;
  const count = checked + found;
  const end = body.ends[count - 1];
  if (end === undefined) return undefined;
  // A copy, because a view would keep the memory of the whole body.
  const bytes = Buffer.from(body.bytes.subarray(0, end));
  return { ...body, bytes, ends: body.ends.slice(0, count), elements: body.elements.slice(0, count) };
}

function readConversation(value: unknown, name: string): readonly unknown[] | undefined {
  const field: unknown = typeof value === "object" && value !== null ? Object(value)[name] : undefined;
  return Array.isArray(field) ? field : undefined;
}
