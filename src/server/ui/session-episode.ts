import { ApiError } from "../../http/errors.js";
import { SessionError } from "../../session/errors.js";
import type { Session } from "../../session/session.js";
import { describeSession, summarizeSession } from "../../session/session-transcript.js";
import { runInIterations } from "../../support/async/run-steps.js";
import type { Steps } from "../../support/async/steps.js";
import type { EpisodeLine, EpisodeSummary, InteractionsSummary, SessionTranscript } from "../../transcript/format.js";
import { parseTools } from "../../transcript/json-pieces.js";

/** No discount: the rewards of a session's interactions are those that its whole tree earned. */
const DISCOUNT = 1;

/** Returns the episode of a session, with its texts. Its data must be loaded and held. */
export async function readEpisode(session: Session, task: number): Promise<EpisodeLine> {
  return toEpisode(parseTools(await runInIterations(describeSession(session, DISCOUNT))), task);
}

function toEpisode({ state: _state, ...transcript }: SessionTranscript, task: number): EpisodeLine {
  const versions = transcript.interactions.flatMap((interaction) => interaction.versions?.[0] ?? []);
  const version = versions.reduce((oldest, each) => Math.min(oldest, each), versions[0] ?? 0);
  return { type: "episode", task, accepted: true, version, ...transcript };
}

/**
 * Returns the file of an image. The session's data must be loaded and held.
 *
 * @throws ApiError `not_found`
 */
export function readImage(session: Session, sha256: string): Uint8Array {
  const file = session.imageFile(sha256);
  if (!file) throw new ApiError("not_found", `Session ${session.id} does not have the file of this image.`);
  return file;
}

/** Returns the summary of a session for lists: of one that is on disk only, its counts. */
export function* summarizeListed(session: Session, task: number): Steps<EpisodeSummary> {
  if (!session.isLoaded) return describeEpisode(session, task, countInteractions(session));
  session.data.hold();
  try {
    return describeEpisode(session, task, yield* summarizeSession(session));
  } catch (error) {
    // The session was freed meanwhile.
    if (!(error instanceof SessionError)) throw error;
    return describeEpisode(session, task, countInteractions(session));
  } finally {
    session.data.release();
  }
}

/** Returns what is known of a session's interactions without its data. */
export function countInteractions({ sessionReward, interactionCount, counts }: Session): InteractionsSummary {
  return {
    reward: sessionReward ?? null,
    calls: interactionCount,
    turns: 0,
    prompt_tokens: counts.promptTokens,
    completion_tokens: counts.completionTokens,
    finish_reasons: {},
    broken: 0,
    left_out: 0,
    branches: 0,
  };
}

/** @param interactions see {@link summarizeListed} */
export function describeEpisode(session: Session, task: number, interactions: InteractionsSummary): EpisodeSummary {
  const { id, taskId, groupId, createdAt, sessionReward } = session;
  const { endedAt } = session.lifecycle;
  return {
    type: "episode",
    session_id: id,
    task,
    task_id: taskId,
    ...(groupId !== undefined && { group_id: groupId }),
    accepted: true,
    version: interactions.versions?.[0] ?? 0,
    started_at: createdAt / 1000,
    ...(endedAt !== undefined && { duration: (endedAt - createdAt) / 1000 }),
    ...(sessionReward !== undefined && { session_reward: sessionReward }),
    ...interactions,
  };
}
