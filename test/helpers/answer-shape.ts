import type { Capture } from "../real/capture/exchange.js";
import { eventData, isStream } from "./captures.js";

/**
 * The shape of an answer: its status, its content type, and what its JSON has in which place. Text and numbers count as
 * such, except where they say what happened.
 */
export interface AnswerShape {
  readonly status: number;
  readonly contentType: string | null;
  readonly body: Shape;
}

export type Shape = string | readonly Shape[] | { readonly [key: string]: Shape };

/** Members whose values are part of the shape. */
const TELLING: ReadonlySet<string> = new Set([
  "finish_reason",
  "type",
  "object",
  "status",
  "err_type",
  "code",
  "status_code",
]);

export function answerShape(capture: Capture): AnswerShape {
  const { status, headers } = capture;
  return {
    status,
    contentType: headers["content-type"],
    body: isStream(capture) ? streamShape(capture) : textShape(capture.body),
  };
}

/**
 * Leaves out frames of `double` that a capture does not have because its server joined frames that waited to be sent: neither
 * the first one nor those that say something about the end.
 */
export function withoutJoinedFrames(double: AnswerShape, capture: AnswerShape): AnswerShape {
  if (!Array.isArray(double.body) || !Array.isArray(capture.body)) return double;
  const captured = new Set(capture.body.map((shape) => JSON.stringify(shape)));
  const isJoined = (shape: Shape, index: number) => {
    const text = JSON.stringify(shape);
    return index > 0 && text.includes('"finish_reason":"null"') && !captured.has(text);
  };
  return { ...double, body: double.body.filter((shape: Shape, index) => !isJoined(shape, index)) };
}

/** The events in their order. Equal ones that follow each other count once: how many there are depends on time. */
function streamShape(capture: Capture): Shape {
  const shapes = eventData(capture).map((data) => textShape(data));
  return shapes.filter((shape, index) => index === 0 || JSON.stringify(shape) !== JSON.stringify(shapes[index - 1]));
}

function textShape(text: string): Shape {
  try {
    return valueShape(JSON.parse(text), "");
  } catch {
    return text;
  }
}

function valueShape(value: unknown, key: string): Shape {
  if (value === null) return "null";
  if (Array.isArray(value)) return arrayShape(value);
  if (typeof value === "object") return objectShape(value as Record<string, unknown>);
  // What follows on further lines are details. How many validators complained of a field is their own matter.
  if (key === "message" && typeof value === "string") {
    return value.split("\n", 1).join("").replaceAll(/\d+/g, "0").replace("validation errors", "validation error");
  }
  return TELLING.has(key) ? JSON.stringify(value) : typeof value;
}

/** The different shapes of the elements, in a fixed order. A tuple of a log probability keeps its order. */
function arrayShape(values: readonly unknown[]): Shape {
  const shapes = values.map((value) => valueShape(value, ""));
  const isTuple =
    values.length === 3 &&
    values.every((value) => !Array.isArray(value)) &&
    new Set(values.map((value) => typeof value)).size > 1;
  if (isTuple) return shapes;
  const unique = new Map(shapes.map((shape) => [JSON.stringify(shape), shape]));
  return [...unique].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, shape]) => shape);
}

function objectShape(value: Readonly<Record<string, unknown>>): Shape {
  // Tokens are keys where alternatives are listed by name.
  const entries = Object.entries(value).map(
    ([key, item]) => [key.replace(/^token_id:\d+$/, "token_id:…"), item] as const,
  );
  return Object.fromEntries(
    entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, valueShape(item, key)]),
  );
}
