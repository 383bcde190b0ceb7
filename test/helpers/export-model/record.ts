import { chatMessagesSchema } from "../../../src/conversation/chat-message.js";
import { native } from "../../../src/native/addon.js";
import type { Session } from "../../../src/session/session.js";
import type { TrajectoryStore } from "../../../src/session/trajectory-store.js";
import { giveChannels } from "../channels.js";
import { recordTurn } from "../record-turn.js";
import { assistant } from "../turn.js";
import { placeModelImages } from "./images.js";
import { type ModelledSession, messagesOf, type Turn } from "./modelled-session.js";

/** Records a session like a trainer bridge, and ends it. An existing session with the same id is freed. */
export function recordInto(store: TrajectoryStore, modelled: ModelledSession): void {
  const { sessionId, taskId, groupId, sessionReward, turns } = modelled;
  store.release([sessionId]);
  const session = store.createSession({ sessionId, taskId, groupId });
  for (const turn of turns) {
    const { images, files } = placeModelImages(turn, turns);
    session.record({
      messages: messagesOf(turn),
      output: assistant(turn.answer),
      promptIds: Int32Array.from(turn.prompt),
      images: images.map(({ sha256, ...place }) => ({ ...place, bytes: files.get(sha256) ?? new Uint8Array() })),
      ...buildOutput(turn),
      finishReason: turn.finishReason,
      interactionId: turn.id,
      ...(turn.model !== undefined && { model: turn.model }),
      ...(turn.tag !== undefined && { tag: turn.tag }),
    });
    if (turn.reward !== undefined) session.setReward(turn.reward, turn.id);
  }
  if (sessionReward !== undefined) session.setSessionReward(sessionReward);
  session.end();
}

interface RecordedCalls {
  readonly sessionReward?: number | undefined;
  /** The model of batches has no channels. */
  readonly hasChannels: boolean;
}

/** Records the turns into a server's session like calls of its agents, including repeated attempts. Ends the session. */
export function recordCalls(
  session: Session,
  turns: readonly Turn[],
  { sessionReward, hasChannels }: RecordedCalls,
): void {
  for (const turn of turns) {
    const { outputIds, logprobs, versions } = buildOutput(turn);
    const generation = new native.Generation();
    generation.append(outputIds, logprobs, versions);
    if (hasChannels) giveChannels(generation, Int32Array.from(turn.prompt), outputIds);
    const { images, files } = placeModelImages(turn, turns);
    const answer = {
      images: files,
      output: chatMessagesSchema.parse([assistant(turn.answer)]),
      generation,
      finishReason: turn.finishReason,
      id: turn.id,
      requestedModel: turn.model,
      tag: turn.tag,
    };
    const messages = chatMessagesSchema.parse(messagesOf(turn));
    const { index } = recordTurn(session, { messages }, answer, {
      pieces: [Int32Array.from(turn.prompt)],
      images,
    });
    if (turn.undelivered) session.delivery.closedEarly(index);
    if (turn.reward !== undefined) session.setReward(turn.reward, turn.id);
  }
  if (sessionReward !== undefined) session.setSessionReward(sessionReward);
  session.end();
}

function buildOutput(turn: Turn) {
  return {
    outputIds: Int32Array.from(turn.output),
    logprobs: Float32Array.from(turn.logprobs),
    versions: Int32Array.from(turn.versions),
  };
}
