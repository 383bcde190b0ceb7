import type { z } from "zod";
import type { OpenFile } from "../support/file-access.js";
import { TranscriptError } from "./errors.js";
import type { LinePosition, TranscriptLine } from "./format.js";
import { transcriptLine } from "./schema.js";

/** Maximum bytes of a line that is read. The writer leaves the messages of longer episodes out. */
export const MAX_LINE_BYTES = 32 << 20;

/** Maximum nesting of a line, and maximum number of its values. Short text can otherwise become gigabytes of objects. */
const MAX_DEPTH = 256;
const MAX_VALUES = 2_000_000;

/**
 * Reads one line of a transcript.
 *
 * @param maxBytes maximum length of the line in bytes
 * @throws TranscriptError `line_too_long` or `invalid_line`
 */
export async function readLine(
  file: Pick<OpenFile, "read">,
  place: LinePosition,
  maxBytes = MAX_LINE_BYTES,
): Promise<TranscriptLine> {
  const { offset, length } = place;
  if (length > maxBytes) {
    const message = `The line at byte ${offset} has ${length} bytes; at most ${maxBytes} are read.`;
    throw new TranscriptError("line_too_long", message);
  }
  // The line feed is read too: a line without one is torn, or is no line.
  const bytes = await readBytes(file, offset, length + 1);
  if (bytes.length !== length + 1 || bytes[length] !== LINE_FEED || bytes.indexOf(LINE_FEED) !== length) {
    throw invalidLine(offset, "it does not end where the index says");
  }
  return parseLine(bytes.subarray(0, length), offset, transcriptLine);
}

/**
 * Parses and checks a line.
 *
 * @param isValid a faster check than that of the schema. If it fails, the schema decides.
 * @throws TranscriptError `invalid_line`
 */
export function parseLine<T>(
  bytes: Uint8Array,
  offset: number,
  schema: z.ZodType<T>,
  isValid?: (value: unknown) => value is T,
): T {
  const problem = findExcess(bytes);
  if (problem !== undefined) throw invalidLine(offset, problem);
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"));
  } catch (cause) {
    throw invalidLine(offset, "it is not JSON", cause);
  }
  if (isValid?.(value)) return value;
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  throw invalidLine(offset, `\`${issue?.path.join(".") ?? ""}\`: ${issue?.message ?? "it is invalid"}`);
}

export const LINE_FEED = 0x0a;

/** Reads `length` bytes, fewer at the end of the file. */
export async function readBytes(file: Pick<OpenFile, "read">, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await file.read(bytes, read, length - read, offset + read);
    if (bytesRead === 0) return bytes.subarray(0, read);
    read += bytesRead;
  }
  return bytes;
}

function invalidLine(offset: number, reason: string, cause?: unknown): TranscriptError {
  return new TranscriptError("invalid_line", `The line at byte ${offset} cannot be read: ${reason}.`, { cause });
}

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\,[]{}');

/** Returns why JSON would cost too much memory to parse; undefined if it would not. */
function findExcess(bytes: Uint8Array): string | undefined {
  let [depth, values] = [0, 0];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = findStringEnd(bytes, at);
    else if (byte === COMMA) values++;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      values++;
      if (++depth > MAX_DEPTH) return `it is nested deeper than ${MAX_DEPTH} levels`;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
    if (values > MAX_VALUES) return `it has more than ${MAX_VALUES} values`;
  }
  return undefined;
}

/** Returns the position of the quote that ends the string which begins at `start`. */
function findStringEnd(bytes: Uint8Array, start: number): number {
  for (let end = bytes.indexOf(QUOTE ?? 0, start + 1); end >= 0; end = bytes.indexOf(QUOTE ?? 0, end + 1)) {
    let backslashes = 0;
    while (bytes[end - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return bytes.length;
}
