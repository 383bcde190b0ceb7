import type { FastifyBaseLogger } from "fastify";
import { writeFailedTranscript } from "../admin-api/failed-transcript.js";
import { logServerError } from "../http/error-log.js";
import type { SessionRegistry } from "../session/session-registry.js";
import { concatInSteps } from "../support/async/concat-in-steps.js";
import { runInIterations } from "../support/async/run-steps.js";
import { toServerApiError } from "./errors.js";
import { readTranscript } from "./transcript-body.js";

/** No session is added to an answer of this size. */
const ENOUGH_BYTES = 8 << 20;
const LINE_END = Buffer.from("\n");

export interface LinesOptions {
  readonly discount: number;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  readonly log: FastifyBaseLogger;
}

/**
 * Returns a line for each session, in their order: its transcript, or why it cannot be returned. Leaves out the sessions after the one
 * with which the answer reaches 8 MiB.
 *
 * @throws the signal's reason if it aborts
 */
export async function readTranscriptLines(
  registry: SessionRegistry,
  sessionIds: readonly string[],
  { discount, signal, log }: LinesOptions,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for (const id of sessionIds) {
    signal.throwIfAborted();
    const line = await readOrFail(registry, id, discount, log);
    pieces.push(...line);
    size += line.reduce((sum, { length }) => sum + length, 0);
    if (size >= ENOUGH_BYTES) break;
  }
  return runInIterations(concatInSteps(pieces));
}

/** An error, also an unexpected one, fails only its own session. */
async function readOrFail(
  registry: SessionRegistry,
  id: string,
  discount: number,
  log: FastifyBaseLogger,
): Promise<Buffer[]> {
  try {
    return [await readTranscript(registry, id, discount), LINE_END];
  } catch (error) {
    const apiError = toServerApiError(error);
    logServerError(log, apiError);
    return [writeFailedTranscript(id, apiError)];
  }
}
