import { samplingJson } from "../facts/recorded-sampling.js";
import { endsStep, type Steps } from "../support/async/steps.js";
import type { InteractionsSummary, TranscriptInteraction } from "../transcript/format.js";
import type { WrittenInteraction, WrittenTranscript } from "../transcript/json-pieces.js";
import { type Summarized, summarizeInteractions } from "../transcript/summarize.js";
import { SessionError } from "./errors.js";
import type { RecordedInteraction } from "./recorded-interaction.js";
import type { Session } from "./session.js";

/** A step ends after this time. Messages that are on disk only are parsed in the step that reads them. */
const STEP_MS = 4;

/** Interactions that are summarized in one step. */
const SUMMARIZED_AT_ONCE = 100;

/**
 * Returns what a session has recorded by now, without tokens. Each step describes some interactions. The session must be loaded and
 * held.
 *
 * @param discount of the rewards, from 0 to 1
 * @throws SessionError if the tokens were freed, also while this runs; `reward_overflow` if a reward fits no float32
 */
export function* describeSession(session: Session, discount: number): Steps<WrittenTranscript> {
  session.requireTokens();
  const { id, taskId, groupId, createdAt, lifecycle, sessionReward, interactionCount } = session;
  const rewards = discountRewards(session, discount);
  const interactions: WrittenInteraction[] = [];
  /** Where each list of tools is written. */
  const places = new Map<string, number>();
  let stepEnd = performance.now() + STEP_MS;
  for (let index = 0; index < interactionCount; index++) {
    if (performance.now() > stepEnd) {
      yield;
      session.requireTokens();
      stepEnd = performance.now() + STEP_MS;
    }
    interactions.push(describeInteraction(session, index, { reward: rewards[index] ?? 0, places }));
  }
  return {
    session_id: id,
    task_id: taskId,
    ...(groupId !== undefined && { group_id: groupId }),
    state: session.state,
    started_at: createdAt / 1000,
    ...(lifecycle.endedAt !== undefined && { duration: (lifecycle.endedAt - createdAt) / 1000 }),
    ...(sessionReward !== undefined && { session_reward: sessionReward }),
    summary: summarizeInteractions(interactions, sessionReward),
    interactions,
  };
}

/**
 * Returns the summary of what a session has recorded by now, like that of {@link describeSession} in a fraction of its time. The session must be
 * loaded and held.
 *
 * @throws SessionError if the tokens were freed, also while this runs
 */
export function* summarizeSession(session: Session): Steps<InteractionsSummary> {
  session.requireTokens();
  const { sessionReward, interactionCount } = session;
  const interactions: Summarized[] = [];
  for (let index = 0; index < interactionCount; index++) {
    if (endsStep(index, SUMMARIZED_AT_ONCE)) {
      yield;
      session.requireTokens();
    }
    interactions.push(describeCounts(session, index));
  }
  return summarizeInteractions(interactions, sessionReward);
}

function describeCounts(session: Session, index: number): Summarized {
  const { parent, finishReason, tokenExact } = session.interaction(index);
  const { promptTokens, completionTokens, ownReward } = session.tokens.interaction(index);
  const leftOut = session.leftOut.reasonOf(index);
  const versions = session.tokens.versionRange(index);
  return {
    parent,
    finish_reason: finishReason,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    token_exact: tokenExact,
    ...(versions && { versions }),
    ...(leftOut !== undefined && { left_out: leftOut }),
    ...(ownReward !== undefined && { own_reward: ownReward }),
  };
}

function discountRewards(session: Session, discount: number): Float64Array {
  try {
    return session.tokens.discountedRewards(discount);
  } catch (cause) {
    const message = `A discounted reward of session ${session.id} does not fit a float32. Set smaller rewards, or use a smaller discount.`;
    throw new SessionError("reward_overflow", message, { cause });
  }
}

interface Described {
  readonly reward: number;
  readonly places: Map<string, number>;
}

function describeInteraction(session: Session, index: number, { reward, places }: Described): WrittenInteraction {
  const interaction = session.interaction(index);
  const { promptTokens, completionTokens, sharedTokens, ownReward } = session.tokens.interaction(index);
  const { createdAt, startedAt, compactedFrom, fallback, tokenExact, output } = interaction;
  const leftOut = session.leftOut.reasonOf(index);
  const versions = session.tokens.versionRange(index);
  return {
    id: interaction.id,
    parent: interaction.parent,
    ...describeInput(interaction),
    ...describeTools(session, interaction, places),
    // A server records one message for each answer.
    answer: output.at(-1) ?? { role: "assistant", content: "" },
    finish_reason: interaction.finishReason,
    ...describeOrigin(interaction),
    ...(compactedFrom !== undefined && { compacted_from: session.interaction(compactedFrom).id }),
    ...(leftOut !== undefined && { left_out: leftOut }),
    created_at: createdAt / 1000,
    ...(startedAt !== undefined && { latency: (createdAt - startedAt) / 1000 }),
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    shared_tokens: sharedTokens,
    ...(versions && { versions }),
    token_exact: tokenExact,
    ...(!tokenExact && fallback !== undefined && { cause: fallback }),
    ...(ownReward !== undefined && { own_reward: ownReward }),
    reward,
    ...(interaction.sampling && { sampling: samplingJson(interaction.sampling) }),
  };
}

/** Returns the messages as the difference to the parent's conversation: its messages and its answer. */
function describeInput({ input }: RecordedInteraction): Pick<TranscriptInteraction, "kept" | "messages" | "respelled"> {
  const { inherited, respelled, added } = input;
  return { kept: inherited, messages: added, ...(respelled.size > 0 && { respelled: [...respelled] }) };
}

/** Returns the tools if they are not those of the parent. A list is written once; later interactions refer to it. */
function describeTools(
  session: Session,
  interaction: RecordedInteraction,
  places: Map<string, number>,
): Pick<WrittenInteraction, "tools" | "tools_of"> {
  const { index, parent, toolsKey } = interaction;
  if (toolsKey === (parent < 0 ? "" : session.interaction(parent).toolsKey)) return {};
  const place = places.get(toolsKey);
  if (place !== undefined) return { tools_of: place };
  // Folders of earlier versions have only the digests of tools.
  const tools = toolsKey === "" ? "[]" : session.data.readTools(interaction);
  if (tools === undefined) return {};
  if (toolsKey !== "") places.set(toolsKey, index);
  return { tools };
}

/** Returns the fields of who made the call, without those that are absent. */
function describeOrigin(interaction: RecordedInteraction): Partial<Omit<TranscriptInteraction, "tools">> {
  const { api, requestedModel, hints, tag, choice, choices = 1, attempt = 0 } = interaction;
  return {
    api,
    ...(requestedModel !== undefined && { requested_model: requestedModel }),
    ...(hints?.requestKind !== undefined && { request_kind: hints.requestKind }),
    ...(tag !== undefined && { tag }),
    ...(hints?.agentId !== undefined && { agent_id: hints.agentId }),
    ...(hints?.parentAgentId !== undefined && { parent_agent_id: hints.parentAgentId }),
    ...(choices > 1 && { choice: choice ?? 0 }),
    ...(attempt > 0 && { attempt }),
  };
}
