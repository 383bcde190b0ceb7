import { describeSession } from "../session/session-transcript.js";
import { concatInSteps } from "../support/async/concat-in-steps.js";
import { runInTurns } from "../support/async/run-steps.js";
import { jsonPieces } from "../transcript/json-pieces.js";
/** A step ends after this time. */
const STEP_MS = 4;
/**
 * Returns the transcript of a session as JSON. The data of a session that is on disk only is read first.
 *
 * @throws SessionError `session_exported` or `session_expired` if the session's data was freed
 */
export async function readTranscript(registry, session, discount) {
    session.hold();
    try {
        await registry.wake(session);
        return await runInTurns(writeTranscript(session, discount));
    }
    finally {
        session.release();
    }
}
function* writeTranscript(session, discount) {
    const transcript = yield* describeSession(session, discount);
    const pieces = [];
    let stepEnd = performance.now() + STEP_MS;
    for (const piece of jsonPieces(transcript)) {
        pieces.push(Buffer.from(piece));
        if (performance.now() < stepEnd)
            continue;
        yield;
        stepEnd = performance.now() + STEP_MS;
    }
    return yield* concatInSteps(pieces);
}
//# sourceMappingURL=transcript-body.js.map