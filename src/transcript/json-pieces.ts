import type { Message } from "../conversation/message.js";
import type { SessionTranscript, TranscriptInteraction } from "./format.js";

/** Characters of a piece of a long text. Writing one takes less than a millisecond. */
const PIECE = 1 << 17;

/**
 * Returns the JSON of a transcript in pieces, so that long conversations do not stall the event loop: an interaction is a piece, or
 * several if its texts are long.
 */
export function* jsonPieces({ interactions, ...head }: SessionTranscript): Generator<string, void, void> {
  yield `${JSON.stringify(head).slice(0, -1)},"interactions":[`;
  for (const [index, interaction] of interactions.entries()) {
    if (index > 0) yield ",";
    if (isShort(interaction)) yield JSON.stringify(interaction);
    else yield* writeValue(interaction);
  }
  yield "]}";
}

function isShort({ messages, answer, respelled = [] }: TranscriptInteraction): boolean {
  const all = [...messages, answer, ...respelled.map(([, message]) => message)];
  return all.reduce((sum, message) => sum + textLength(message), 0) < PIECE;
}

function textLength({ content, reasoning = "", toolCalls = [] }: Message): number {
  return toolCalls.reduce((sum, call) => sum + call.arguments.length, content.length + reasoning.length);
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
