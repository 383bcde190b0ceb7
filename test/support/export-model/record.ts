import type { TrajectoryStore } from "../../../src/session/trajectory-store.js";
import { assistant } from "../turn.js";
import { type ModelledSession, messagesOf } from "./modelled-session.js";

/** Records a session as a trainer bridge does, and ends it. What has that id already is freed. */
export function recordInto(store: TrajectoryStore, { sessionId, turns }: ModelledSession): void {
  store.release([sessionId]);
  const session = store.createSession({ sessionId });
  for (const turn of turns) {
    session.record({
      messages: messagesOf(turn),
      output: assistant(turn.answer),
      promptIds: Int32Array.from(turn.prompt),
      outputIds: Int32Array.from(turn.output),
      logprobs: Float32Array.from(turn.logprobs),
      versions: Int32Array.from(turn.versions),
      finishReason: "stop",
      interactionId: turn.id,
    });
    if (turn.reward !== undefined) session.setReward(turn.reward, turn.id);
  }
  session.end();
}
