import type { Tool } from "../conversation/message.js";
import { sumTexts } from "../conversation/size.js";
import type { SessionTranscript, TranscriptInteraction } from "./format.js";

/** An interaction whose tools are JSON already, which keeps the spelling of numbers and the order of keys. */
export interface WrittenInteraction extends Omit<TranscriptInteraction, "tools"> {
  readonly tools?: string;
}

export interface WrittenTranscript extends Omit<SessionTranscript, "interactions"> {
  readonly interactions: readonly WrittenInteraction[];
}

/** Returns a transcript whose tools are values. */
export function parseTools({ interactions, ...head }: WrittenTranscript): SessionTranscript {
  const parsed = interactions.map(({ tools, ...interaction }) =>
    tools === undefined ? interaction : { ...interaction, tools: JSON.parse(tools) as Tool[] },
  );
  return { ...head, interactions: parsed };
}

/** Characters of a piece of a long text. Writing one takes less than a millisecond. */
const PIECE = 1 << 17;

/**
 * Returns the JSON of a transcript in pieces, so that long conversations do not stall the event loop: an interaction is a piece, or
 * several if its texts are long.
 */
export function* jsonPieces({ interactions, ...head }: WrittenTranscript): Generator<string, void, void> {
  yield `${JSON.stringify(head).slice(0, -1)},"interactions":[`;
  for (const [index, interaction] of interactions.entries()) {
    if (index > 0) yield ",";
    yield* writeInteraction(interaction);
  }
  yield "]}";
}

function* writeInteraction(written: WrittenInteraction): Generator<string, void, void> {
  const { tools, ...interaction } = written;
  if (tools !== undefined) {
    yield '{"tools":';
    yield* cutText(tools);
    yield ",";
  }
  const pieces = isShort(written) ? [JSON.stringify(interaction)] : writeValue(interaction);
  let isFirst = true;
  for (const piece of pieces) {
    yield isFirst && tools !== undefined ? piece.slice(1) : piece;
    isFirst = false;
  }
}

/** Cuts a text between characters: each piece is encoded alone. */
function* cutText(text: string): Generator<string, void, void> {
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + PIECE);
    if (isHighSurrogate(text.charCodeAt(to - 1))) to = to === text.length ? to : to - 1;
    yield text.slice(from, to);
    from = to;
  }
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;

function isShort({ messages, answer, respelled = [] }: WrittenInteraction): boolean {
  const all = [...messages, answer, ...respelled.map(([, message]) => message)];
  return all.reduce((sum, message) => sum + sumTexts(message, (text) => text.length), 0) < PIECE;
}

/** Writes a value without cycles, functions and dates. */
function* writeValue(value: unknown): Generator<string, void, void> {
  if (typeof value === "string" && value.length > PIECE) yield* writeText(value);
  else if (Array.isArray(value)) yield* writeList(value);
  else if (typeof value === "object" && value !== null) yield* writeFields(value);
  else yield JSON.stringify(value);
}

function* writeList(items: readonly unknown[]): Generator<string, void, void> {
  yield "[";
  for (const [index, item] of items.entries()) {
    if (index > 0) yield ",";
    yield* writeValue(item);
  }
  yield "]";
}

function* writeFields(object: object): Generator<string, void, void> {
  let separator = "{";
  for (const [key, value] of Object.entries(object) as [string, unknown][]) {
    if (value === undefined) continue;
    yield `${separator}${JSON.stringify(key)}:`;
    yield* writeValue(value);
    separator = ",";
  }
  yield separator === "{" ? "{}" : "}";
}

function* writeText(text: string): Generator<string, void, void> {
  yield '"';
  // A cut between two halves of a character writes both as escapes, which are the same text.
  for (let from = 0; from < text.length; from += PIECE)
    yield JSON.stringify(text.slice(from, from + PIECE)).slice(1, -1);
  yield '"';
}
