import { toChatMessage } from "../conversation/chat-message.js";
import { batchOptionsSchema, type TrajectoryOptions } from "./batch-options.js";
import { type ExportRow, exportRows, planExport } from "./plan.js";
import type { Session } from "./session.js";

export interface TrajectoriesOptions extends TrajectoryOptions {
  /** Adds `messages` and `output_message_list`: untrusted text. */
  readonly includeMessages: boolean;
}

/**
 * The JSON form of one session's export: the interactions with their tensors in base64, as decisions and AReaL's proxy
 * client know it. The text is put together in native memory, off the event loop.
 */
export async function packTrajectories(session: Session, options: TrajectoriesOptions): Promise<Buffer> {
  const { style, discount, onMismatch } = options;
  const plan = planExport([session], batchOptionsSchema.parse({ style, discount, onMismatch }));
  const head = {
    session_id: session.id,
    task_id: session.taskId,
    group_id: session.groupId ?? null,
    style,
    discount,
    rewards_missing: session.rewardsMissing,
    incomplete_calls: session.incompleteCalls,
  };
  const opening = `${JSON.stringify(head).slice(0, -1)},"interactions":{`;
  const items = exportRows(plan).map((row) => itemHead(row, session, options.includeMessages));
  const parts = [opening + (items[0] ?? ""), ...items.slice(1).map((item) => `},${item}`)];
  return plan.native.packJson(items.length === 0 ? [`${opening}}}`] : [...parts, "}}}"]);
}

/** An interaction's JSON up to where its tensor_dict begins. */
function itemHead(row: ExportRow, session: Session, includeMessages: boolean): string {
  const { record, reward } = row;
  const fields = {
    interaction_id: record.id,
    parent_id: record.parent < 0 ? null : session.interaction(record.parent).id,
    token_exact: record.tokenExact,
    reward,
    own_reward: session.tokens.interaction(record.index).ownReward ?? null,
    api: record.api,
    created_at: record.createdAt / 1000,
    finish_reason: record.finishReason,
    ...(includeMessages && {
      messages: session.messagesOf(record).map(toChatMessage),
      output_message_list: record.output.map(toChatMessage),
    }),
  };
  return `${JSON.stringify(record.id)}:${JSON.stringify(fields).slice(0, -1)},"tensor_dict":`;
}
