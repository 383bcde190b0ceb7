import { native } from "../native/addon.js";
import type { NativePlan, PlanOptions, PlanRow } from "../native/contract.js";
import type { BatchOptions } from "./batch-options.js";
import { SessionError } from "./errors.js";
import type { Interaction } from "./interaction.js";
import type { Session } from "./session.js";

/** A planned export: the native plan and, per row, whose it is. */
export interface ExportPlan {
  readonly native: NativePlan;
  readonly sessions: readonly Session[];
  readonly rows: readonly ExportRow[];
}

export interface ExportRow extends PlanRow {
  readonly owner: Session;
  readonly record: Interaction;
}

/** Plans an export of these sessions, a snapshot. Throws `concat_mismatch` or `max_length_exceeded` with particulars. */
export function planExport(sessions: readonly Session[], options: BatchOptions): ExportPlan {
  if (options.layout === "tree" && options.maxLength !== undefined) throw treeLimitError();
  const plan = planNative(sessions, options);
  if (plan.mismatches.length > 0) throw mismatchError(plan, sessions);
  if (options.overflow === "error" && plan.overflows.length > 0) throw overflowError(plan, sessions, options);
  return { native: plan, sessions, rows: plan.rows.map((row) => withOwner(row, sessions)) };
}

function toNative(options: BatchOptions): PlanOptions {
  const { maxLength = 0, ...rest } = options;
  return { ...rest, maxLength };
}

function planNative(sessions: readonly Session[], options: BatchOptions): NativePlan {
  try {
    return native.planBatch(
      sessions.map((session) => session.tokens),
      toNative(options),
    );
  } catch (error) {
    refuseOverflowingRewards(sessions, options);
    throw error;
  }
}

/** Each reward fits a float32, but sums of them need not. */
function refuseOverflowingRewards(sessions: readonly Session[], { discount }: BatchOptions): void {
  const overflowing = sessions.filter((session) => overflows(session, discount));
  const [first] = overflowing;
  if (!first) return;
  throw new SessionError("reward_overflow", `A discounted reward of session ${first.id} does not fit a float32.`, {
    details: { sessions: overflowing.map(({ id }) => id) },
  });
}

function overflows(session: Session, discount: number): boolean {
  try {
    session.tokens.discountedRewards(discount);
    return false;
  } catch {
    return true;
  }
}

function withOwner(row: PlanRow, sessions: readonly Session[]): ExportRow {
  const owner = at(sessions, row.session);
  return { ...row, owner, record: owner.interaction(row.interaction) };
}

function treeLimitError(): SessionError {
  return new SessionError(
    "invalid_value",
    "layout tree takes no max_length: its rows share the tokens that would be cut.",
    {
      param: "max_length",
    },
  );
}

function mismatchError(plan: NativePlan, sessions: readonly Session[]): SessionError {
  const mismatches = plan.mismatches.map((mismatch) => {
    const session = at(sessions, mismatch.session);
    return {
      session_id: session.id,
      parent_id: session.interaction(mismatch.parent).id,
      child_id: session.interaction(mismatch.child).id,
      position: mismatch.position,
      parent_token: mismatch.parentToken,
      child_token: mismatch.childToken,
    };
  });
  const first = at(mismatches, 0);
  return new SessionError(
    "concat_mismatch",
    `Interaction ${first.child_id} does not continue the tokens of ${first.parent_id} (session ${first.session_id}): ` +
      `at position ${first.position} the parent has token ${first.parent_token}, the child ` +
      `${first.child_token < 0 ? "ends" : `has ${first.child_token}`}. Use style "individual" or on_mismatch "split".`,
    { details: { mismatches } },
  );
}

function overflowError(plan: NativePlan, sessions: readonly Session[], { maxLength }: BatchOptions): SessionError {
  const rows = plan.overflows.map((row) => {
    const { owner, record, length } = withOwner(row, sessions);
    return { session_id: owner.id, interaction_id: record.id, length };
  });
  const first = at(rows, 0);
  return new SessionError(
    "max_length_exceeded",
    `${rows.length} rows are longer than max_length ${maxLength}, the first is ${first.interaction_id} of session ` +
      `${first.session_id} with ${first.length} tokens. Use overflow "truncate" or "drop", or a larger max_length.`,
    { param: "max_length", details: { rows } },
  );
}

function at<T>(list: readonly T[], index: number): T {
  const found = list[index];
  if (found === undefined) throw new RangeError(`no entry ${index} in a list of ${list.length}`);
  return found;
}
