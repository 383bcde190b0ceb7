import type { ApiError } from "../http/errors.js";

/** Media type of the answer of `POST /rl/transcripts`. */
export const JSON_LINES_TYPE = "application/x-ndjson";

/** Returns the line of a session whose transcript cannot be returned. `readSessionAnswer` reads it. */
export function writeFailedTranscript(
  sessionId: string,
  { code, message }: Pick<ApiError, "code" | "message">,
): Buffer {
  return Buffer.from(`${JSON.stringify({ session_id: sessionId, error: { code, message } })}\n`);
}
