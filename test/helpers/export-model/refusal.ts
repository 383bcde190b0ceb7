import type { BatchOptionsInput } from "../../../src/session/batch/batch-options.js";
import { type Filters, isKept } from "./filters.js";
import { allDelivered, type ModelledSession, sequenceOf, type Turn } from "./modelled-session.js";
import { isExact, rowsOf, sharedWithParent } from "./rows.js";

export interface ModelRefusal {
  readonly code: string;
  readonly param?: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Returns the library's refusal of a batch of these sessions; undefined if the batch is not refused. */
export function modelRefusal(
  sessions: readonly ModelledSession[],
  options: BatchOptionsInput,
): ModelRefusal | undefined {
  const { style = "individual", onMismatch = "error", layout = "padded", maxLength, overflow = "error" } = options;
  if (options.turns && (layout === "tree" || options.rowTensors === false)) {
    const param = layout === "tree" && maxLength !== undefined ? "maxLength" : "turns";
    return { code: "invalid_value", param, details: {} };
  }
  if (layout === "tree" && maxLength !== undefined) return { code: "invalid_value", param: "maxLength", details: {} };
  if (options.sharedTurns === "weight" && !options.turns) {
    return { code: "invalid_value", param: "sharedTurns", details: {} };
  }
  if (options.concatReward === "return" && (style !== "concat" || layout === "tree")) {
    return { code: "invalid_value", param: "concatReward", details: {} };
  }
  if (layout === "tree") return undefined;
  const counted = options.includeUndelivered ? allDelivered(sessions) : sessions;
  const mismatches = counted.flatMap((session) => listMismatches(session, options));
  if (style === "concat" && onMismatch === "error" && mismatches.length > 0) {
    return { code: "concat_mismatch", details: { mismatches } };
  }
  const rows = counted
    .flatMap((session) => rowsOf(session, { style, discount: 1, concatReward: "leaf", filters: options }))
    .filter((row) => row.ids.length > (maxLength ?? Number.POSITIVE_INFINITY))
    .map((row) => ({ session_id: row.sessionId, interaction_id: row.interactionId, length: row.ids.length }));
  if (overflow !== "error" || rows.length === 0) return undefined;
  return { code: "max_length_exceeded", param: "maxLength", details: { rows } };
}

/** Lists the calls at which a row of kept calls breaks off and another one begins. */
function listMismatches(session: ModelledSession, filters: Filters): object[] {
  const { sessionId, turns } = session;
  const isOpen = (turn: Turn) => isKept(turn, session, filters);
  const leadsToOpen = (turn: Turn): boolean =>
    isOpen(turn) || turns.some((each) => turns[each.parent] === turn && isExact(each, turns) && leadsToOpen(each));
  const followsOpen = (turn: Turn): boolean => {
    const parent = turns[turn.parent];
    return parent !== undefined && (isOpen(parent) || followsOpen(parent));
  };
  return turns.flatMap((turn) => {
    const parent = turns[turn.parent];
    if (!parent || isExact(turn, turns) || !leadsToOpen(turn) || !followsOpen(turn)) return [];
    const position = sharedWithParent(turn, turns);
    return [
      {
        session_id: sessionId,
        parent_id: parent.id,
        child_id: turn.id,
        position,
        parent_token: sequenceOf(parent)[position],
        child_token: turn.prompt[position] ?? -1,
      },
    ];
  });
}
