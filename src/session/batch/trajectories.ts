import { toChatMessage } from "../../conversation/chat-message.js";
import type { PlacedImage } from "../../conversation/content.js";
import { writeExportedFields } from "../../facts/call-facts.js";
import { DEFAULT_SAMPLING, samplingJson } from "../../facts/recorded-sampling.js";
import { runAtOnce } from "../../support/async/steps.js";
import type { Session } from "../session.js";
import { type ExportSummary, summarize } from "./batch-metadata.js";
import { batchOptionsSchema, type TrajectoryOptions } from "./batch-options.js";
import { type ExportPlan, type ExportRow, listExportRows, planExport } from "./plan.js";
import { describeFilter } from "./row-filter.js";

export interface TrajectoriesOptions extends TrajectoryOptions {
  /** Adds `messages` and `output_message_list`, which are untrusted text. */
  readonly includeMessages: boolean;
  /** Name of the model, as answers report it. */
  readonly model?: string | undefined;
  /** Receives counts of what the export leaves out, after planning and before packing. */
  readonly onPlanned?: (summary: ExportSummary) => void;
}

/**
 * Exports one session as JSON: its interactions with their tensors in base64, in the format of AReaL's proxy client.
 * The text is assembled in native memory, off the event loop.
 */
export async function packTrajectories(session: Session, options: TrajectoriesOptions): Promise<Buffer> {
  const { includeMessages, onPlanned, model, ...rest } = options;
  const { style, discount, concatReward } = options;
  const batchOptions = batchOptionsSchema.parse({ ...rest, rowTensors: false });
  // One session is planned in one step.
  const plan = runAtOnce(planExport([session], batchOptions));
  onPlanned?.(summarize(plan));
  const filters = describeFilter(batchOptions) ?? (plan.native.filteredCount > 0 ? {} : undefined);
  const head = {
    session_id: session.id,
    task_id: session.taskId,
    group_id: session.groupId ?? null,
    split: session.split,
    model: model ?? null,
    style,
    discount,
    ...(style === "concat" && { concat_reward: concatReward }),
    session_reward: session.sessionReward ?? null,
    rewards_missing: session.rewardsMissing,
    unrewarded_roots: unrewardedRoots(plan, session),
    ...(style === "concat" && { uncounted_rewards: uncountedRows(plan, session) }),
    left_out: leftOutEntries(plan, session),
    ...(filters && {
      filters,
      filtered: plan.native.filteredCount,
      rewards_filtered: plan.native.rewardsFiltered.length > 0,
    }),
    incomplete_calls: session.counts.incompleteCalls,
    aborted_calls: session.counts.abortedCalls,
  };
  const opening = `${JSON.stringify(head).slice(0, -1)},"interactions":{`;
  const [first, ...others] = listExportRows(plan).map((row) => writeItemHead(row, session, includeMessages));
  if (first === undefined) return plan.native.packJson([`${opening}}}`]);
  return plan.native.packJson([opening + first, ...others.map((item) => `},${item}`), "}}}"]);
}

/** Returns the ids of the root interactions of all conversation trees that have rows and no reward. */
function unrewardedRoots({ native, removes: removesFrom }: ExportPlan, session: Session): string[] {
  if (native.unrewardedRoots.count === 0) return [];
  const removes = removesFrom(session);
  const rootOf: number[] = [];
  const kept = new Set<number>();
  const rewarded = new Set<number>();
  for (let index = 0; index < session.tokens.length; index++) {
    const { parent, ownReward } = session.tokens.interaction(index);
    const root = parent < 0 ? index : (rootOf[parent] ?? index);
    rootOf.push(root);
    if (ownReward !== undefined) rewarded.add(root);
    if (session.leftOut.reasonOf(index) === undefined && !removes?.(session.interaction(index))) kept.add(root);
  }
  return rootOf.flatMap((root, index) =>
    root === index && kept.has(root) && !rewarded.has(root) ? [session.interaction(root).id] : [],
  );
}

/** Returns the interaction ids of the rows whose reward leaves out own rewards of earlier turns. */
function uncountedRows({ native: { rows } }: ExportPlan, session: Session): string[] {
  return [...rows.interactions].flatMap((interaction, i) =>
    rows.uncountedRewards[i] === 1 ? [session.interaction(interaction).id] : [],
  );
}

/** Returns the interactions that the export leaves out, with the reasons. */
function leftOutEntries({ leftOut }: ExportPlan, session: Session): object[] {
  return leftOut.flat().map(({ index, reason }) => {
    const { id, parent, finishReason, createdAt } = session.interaction(index);
    return {
      interaction_id: id,
      reason,
      parent_id: parent < 0 ? null : session.interaction(parent).id,
      created_at: createdAt / 1000,
      finish_reason: finishReason,
    };
  });
}

/** Describes an image of a prompt without its file. `offset` is the index of its first token in `input_ids`. */
function writeImage({ offset, length, sha256, mediaType, width, height }: PlacedImage): object {
  return { offset, length, sha256, media_type: mediaType, width, height };
}

/** Returns an interaction's JSON up to the value of `tensor_dict`, which the native core writes. */
function writeItemHead(row: ExportRow, session: Session, includeMessages: boolean): string {
  const { record, reward } = row;
  const { ownReward, promptTokens, completionTokens, forcedTokens } = session.tokens.interaction(record.index);
  const fields = {
    interaction_id: record.id,
    parent_id: record.parent < 0 ? null : session.interaction(record.parent).id,
    compacted_from: record.compactedFrom === undefined ? null : session.interaction(record.compactedFrom).id,
    token_exact: record.tokenExact,
    reward,
    own_reward: ownReward ?? null,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    forced_tokens: forcedTokens,
    ...(record.images && { images: record.images.map(writeImage) }),
    ...writeExportedFields({ ...record, leftOut: session.leftOut.reasonOf(record.index) }),
    sampling: samplingJson(record.sampling ?? DEFAULT_SAMPLING),
    ...(includeMessages && {
      messages: session.data.log.readMessages(record).map(toChatMessage),
      output_message_list: record.output.map(toChatMessage),
    }),
  };
  return `${JSON.stringify(record.id)}:${JSON.stringify(fields).slice(0, -1)},"tensor_dict":`;
}
