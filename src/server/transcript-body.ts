import type { Session } from "../session/session.js";
import type { SessionRegistry } from "../session/session-registry.js";
import { describeSession } from "../session/session-transcript.js";
import { concatInSteps } from "../support/async/concat-in-steps.js";
import { runInIterations } from "../support/async/run-steps.js";
import type { Steps } from "../support/async/steps.js";
import { jsonPieces } from "../transcript/json-pieces.js";

/** A step ends after this time. */
const STEP_MS = 4;

/**
 * Returns the transcript of a session as JSON on one line. The data of a session that is on disk only is read first.
 *
 * @throws SessionError `session_not_found`; `session_exported` or `session_expired` if the session's data was freed
 */
export async function readTranscript(registry: SessionRegistry, sessionId: string, discount: number): Promise<Buffer> {
  const session = registry.get(sessionId);
  session.data.hold();
  try {
    await registry.wake(session);
    return await runInIterations(writeTranscript(session, discount));
  } finally {
    session.data.release();
  }
}

function* writeTranscript(session: Session, discount: number): Steps<Buffer> {
  const transcript = yield* describeSession(session, discount);
  const pieces: Buffer[] = [];
  let stepEnd = performance.now() + STEP_MS;
  for (const piece of jsonPieces(transcript)) {
    pieces.push(Buffer.from(piece));
    if (performance.now() < stepEnd) continue;
    yield;
    stepEnd = performance.now() + STEP_MS;
  }
  return yield* concatInSteps(pieces);
}
