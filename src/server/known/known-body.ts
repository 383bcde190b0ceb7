import { randomUUID } from "node:crypto";
import { findArrayStart, findElementEnds } from "../../support/json/elements.js";

/**
 * An agent sends its whole conversation with each call. Of a body that begins with the bytes of an earlier one, only what
 * follows the messages that both have is decoded and parsed; those are the earlier body's objects, which whoever worked
 * with them before may know again.
 */

/** A body that was read. */
export interface KnownBody {
  readonly bytes: Buffer;
  /** The field that holds the conversation. */
  readonly name: string;
  /** Where each element of it ends, in bytes. */
  readonly ends: readonly number[];
  readonly elements: readonly unknown[];
  /** Where the array begins, behind its bracket. */
  readonly start: number;
}

/** What a body shares with a known one: the first elements of the conversation and everything before them. */
export interface Shared {
  readonly body: KnownBody;
  readonly count: number;
}

/** Whether a body goes on from the known one, and is not another conversation that begins alike. */
export function goesOn({ body, count }: Shared): boolean {
  return 2 * count >= body.elements.length;
}

/** `messages` of chat completions and messages, `input` of responses. */
const CONVERSATIONS = ["messages", "input"] as const;

/** Stands for the shared elements in a body that is parsed without them; nobody can have sent it. */
const STAND_IN = randomUUID();
const STAND_IN_JSON = Buffer.from(JSON.stringify(STAND_IN));

/** The known body that shares the most elements. */
export function sharedWith(bytes: Buffer, known: readonly KnownBody[]): Shared | undefined {
  let best: Shared | undefined;
  for (const body of known) {
    const count = sharedCount(bytes, body);
    if (count > (best?.count ?? 0)) best = { body, count };
  }
  return best;
}

/** How many elements end within the common beginning. */
function sharedCount(bytes: Buffer, { bytes: known, ends }: KnownBody): number {
  const isShared = (count: number): boolean => {
    const end = ends[count - 1] ?? 0;
    return end <= bytes.length && bytes.compare(known, 0, end, 0, end) === 0;
  };
  if (isShared(ends.length)) return ends.length;
  let [low, high] = [0, ends.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (isShared(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** The body as JSON in which one stand-in takes the place of what is shared. */
export function withoutShared(bytes: Buffer, { body, count }: Shared): Buffer {
  return shortened(bytes, body.start, body.ends[count - 1] ?? body.start);
}

function shortened(bytes: Buffer, from: number, to: number): Buffer {
  return Buffer.concat([bytes.subarray(0, from), STAND_IN_JSON, bytes.subarray(to)]);
}

/** The whole of a body that was parsed without what is shared; undefined where its field comes twice. */
export function withShared(value: unknown, { body, count }: Shared): Record<string, unknown> | undefined {
  const elements = conversationOf(value, body.name);
  if (elements?.[0] !== STAND_IN) return undefined;
  return { ...Object(value), [body.name]: [...body.elements.slice(0, count), ...elements.slice(1)] };
}

/** What to keep of a body; undefined where it has no conversation, or one that is not made of objects. */
export function toKnown(bytes: Buffer, value: unknown, shared?: Shared): KnownBody | undefined {
  const name = shared?.body.name ?? CONVERSATIONS.find((each) => conversationOf(value, each));
  const elements = name && conversationOf(value, name);
  if (!name || !elements) return undefined;
  const start = shared?.body.start ?? findArrayStart(bytes, new Set([name]));
  if (start === undefined) return undefined;
  const before = shared?.body.ends.slice(0, shared.count) ?? [];
  const ends = [...before, ...findElementEnds(bytes, before.at(-1) ?? start)];
  const end = ends.at(-1);
  if (end === undefined || ends.length !== elements.length) return undefined;
  if (!shared && !isOnly(name, shortened(bytes, start, end))) return undefined;
  return { bytes, name, start, ends, elements };
}

/** Whether the field that was found is the one that counts: of two with one name the later does. */
function isOnly(name: string, json: Buffer): boolean {
  return conversationOf(JSON.parse(json.toString()), name)?.[0] === STAND_IN;
}

function conversationOf(value: unknown, name: string): readonly unknown[] | undefined {
  const field: unknown = typeof value === "object" && value !== null ? Object(value)[name] : undefined;
  return Array.isArray(field) ? field : undefined;
}
