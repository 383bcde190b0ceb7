import { z } from "zod";
import type { SessionTranscript } from "./format.js";
import { sessionHead } from "./schema.js";

/** A session in the answer of `POST /rl/transcripts`. Its interactions are not parsed. */
export interface SessionAnswer {
  readonly sessionId: string;
  readonly head: Omit<SessionTranscript, "interactions">;
  /** JSON on one line. */
  readonly interactions: Uint8Array;
}

/** A session whose transcript the proxy could not return. */
export interface FailedAnswer {
  readonly sessionId: string;
  readonly code: string;
  readonly message: string;
}

/** A quote inside a text is written as `\\"`, so no text of the head has these characters. */
const SEPARATOR = ',"interactions":';
const [LINE_FEED, OPEN_ARRAY, CLOSE_ARRAY, CLOSE_OBJECT] = [0x0a, 0x5b, 0x5d, 0x7d] as const;

const failedAnswer = z
  .object({ session_id: z.string(), error: z.object({ code: z.string(), message: z.string() }) })
  .transform(({ session_id, error }): FailedAnswer => ({ sessionId: session_id, ...error }));

/**
 * Returns each line of the answer of `POST /rl/transcripts`.
 *
 * @throws Error after the last complete line if another one follows
 */
export function* splitAnswerLines(body: Uint8Array): Generator<Buffer, void, void> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(LINE_FEED, from);
    if (end < 0) throw new Error("the answer's last line is not complete");
    yield bytes.subarray(from, end);
    from = end + 1;
  }
}

/**
 * Splits a line into what an index needs and the interactions, whose JSON is that of a transcript's line. Parsing and writing them again
 * would cost more than the rest of a transcript. The interactions are the last field.
 *
 * @throws Error if the line has another form
 */
export function readSessionAnswer(line: Buffer): SessionAnswer | FailedAnswer {
  const at = line.indexOf(SEPARATOR);
  if (at < 0) return failedAnswer.parse(JSON.parse(line.toString()));
  const from = at + SEPARATOR.length;
  const isWhole = line[from] === OPEN_ARRAY && line.at(-1) === CLOSE_OBJECT && line.at(-2) === CLOSE_ARRAY;
  if (!isWhole) throw new Error("the interactions of a session must be its last field");
  const head = sessionHead.parse(JSON.parse(`${line.toString("utf8", 0, at)}}`));
  return { sessionId: head.session_id, head, interactions: line.subarray(from, -1) };
}
