import { native } from "../../native/addon.js";
import type { NativeEpisode, NativePlan, PlanOptions, PlanRows } from "../../native/contract.js";
import type { Steps } from "../../support/async/steps.js";
import type { LeftOutInteraction } from "../delivery/delivery.js";
import { SessionError } from "../errors.js";
import type { RecordedInteraction } from "../recorded-interaction.js";
import { Session } from "../session.js";
import type { BatchOptions } from "./batch-options.js";
import { findImageLimits } from "./image-limits.js";
import { refuseConflicts } from "./option-conflicts.js";
import { MAX_LABELS, ROW_COLUMNS } from "./row-columns.js";
import { findRemoved, type Removes, removesFrom, toInteractionFilter } from "./row-filter.js";
import { countUnscored, declareTeachers, type TeacherFields } from "./teachers.js";

/** A planned export: the native plan and the sessions that its rows come from. */
export interface ExportPlan {
  readonly native: NativePlan;
  /** By the indices of `native`. Undefined: the rows of the session are in other batches. */
  readonly sessions: readonly (Session | undefined)[];
  /** The sessions as episodes, by the same indices. */
  readonly episodes: readonly EpisodeName[];
  /** The interactions that are left out, by session. Empty with `includeUndelivered`. */
  readonly leftOut: readonly (readonly LeftOutInteraction[])[];
  /** Returns true if filters other than `roots` remove an interaction of this session. Undefined if they remove none. */
  readonly removes: (session: Session) => Removes | undefined;
  readonly counts: PlannedCounts;
}

export interface EpisodeName {
  readonly id: string;
  readonly groupId?: string | undefined;
}

/** A session of the export whose rows are in the batches of other servers. */
export interface OtherEpisode extends EpisodeName, NativeEpisode {
  /** Position among all sessions of the export, from 0. */
  readonly position: number;
}

export interface ExportRow {
  readonly owner: Session;
  readonly record: RecordedInteraction;
  /** Tokens of the row, after truncation. */
  readonly length: number;
  /** After discount, in float64. */
  readonly reward: number;
}

/** Numbers groups in the order of their first sessions. */
class GroupNumbers {
  readonly #numbers = new Map<string, number>();

  find(groupId: string | undefined): number | undefined {
    if (groupId === undefined) return undefined;
    const number = this.#numbers.get(groupId) ?? this.#numbers.size;
    this.#numbers.set(groupId, number);
    return number;
  }
}

/**
 * Plans an export. Each session is read in one step, so the plan has one consistent state of it, whatever happens between the steps.
 * No session may be freed until the steps are over: see {@link Lifecycle.exporting}.
 *
 * @param teachers whose channels the batch has, also without scores
 * @param others sessions of other servers, in the order of their positions. Those of groups that the batch has count as episodes
 * @throws SessionError `concat_mismatch`, `max_length_exceeded` or `reward_overflow`, with the rows or sessions at
 * fault
 */
export function* planExport(
  sessions: readonly Session[],
  options: BatchOptions,
  teachers: readonly TeacherFields[] = [],
  others: readonly OtherEpisode[] = [],
): Steps<ExportPlan> {
  // Callers check this earlier. The check here keeps a caller that forgets it from packing wrong rows.
  refuseConflicts(options);
  const removes = toInteractionFilter(options);
  const leftOut: (readonly LeftOutInteraction[])[] = [];
  const counts = new PlannedCounts(teachers);
  const groups = new GroupNumbers();
  const builder = new native.PlanBuilder(toNative(options), yield* countInteractions(sessions));
  const planned = placeAmong(sessions, others);
  for (const [index, session] of planned.entries()) {
    if (index > 0) yield;
    if (!(session instanceof Session)) {
      builder.addEpisode(session, groups.find(session.groupId));
      continue;
    }
    const absent = session.chooseLeftOut();
    try {
      const removesHere = removesFrom(session, options, removes);
      const removed = removesHere && findRemoved(session, removesHere);
      declareTeachers(session, teachers);
      const limits = findImageLimits(session, options);
      builder.add(session.tokens, toIndices(absent), removed, groups.find(session.groupId), limits);
    } catch (error) {
      // The addon names only the interaction, so each session is planned alone.
      yield* refuseOverflowingRewards(sessions, options, removes);
      throw channelConflict(session, error as Error) ?? error;
    }
    leftOut.push(absent);
    counts.add(session);
  }
  // With many rows, `finish` takes some milliseconds, so it is a step of its own.
  yield;
  const plan = builder.finish();
  yield;
  const members = planned.map((session) => (session instanceof Session ? session : undefined));
  if (plan.mismatches.length > 0) throw mismatchError(plan, members);
  if (options.overflow === "error" && plan.overflows.length > 0) throw overflowError(plan, members, options);
  return {
    native: plan,
    sessions: members,
    episodes: planned,
    leftOut: options.includeUndelivered ? [] : leftOut,
    removes: (session) => removesFrom(session, options, removes),
    counts,
  };
}

/** Returns the sessions and the other episodes of their groups, in the order of the export. */
function placeAmong(
  sessions: readonly Session[],
  others: readonly OtherEpisode[],
): readonly (Session | OtherEpisode)[] {
  const groups = new Set(sessions.flatMap(({ groupId }) => groupId ?? []));
  const isOfGroups = ({ groupId }: OtherEpisode) => groupId !== undefined && groups.has(groupId);
  const placed: (Session | OtherEpisode)[] = [];
  let next = 0;
  for (const [index, other] of others.entries()) {
    // The positions that no other episode has are those of the sessions.
    while (next + index < other.position) placed.push(at(sessions, next++));
    if (isOfGroups(other)) placed.push(other);
  }
  return placed.concat(sessions.slice(next));
}

/**
 * Splits a plan by rows into `count` plans with nearly equal numbers of tokens.
 *
 * @throws SessionError `too_few_rows` if one of them would be empty
 */
export function planShards(plan: ExportPlan, count: number): ExportPlan[] {
  if (count === 1) return [plan];
  requireRows(plan, count);
  return plan.native.shards(count).map((native) => ({ ...plan, native }));
}

/**
 * @param servers that have as many shards each
 * @throws SessionError `too_few_rows` if one of `count` shards would be empty
 */
export function requireRows(plan: ExportPlan, count: number, servers = 1): void {
  if (count > plan.native.maxShards) throw tooFewRowsError(plan, count, servers);
}

export function listExportRows({ native: { rows }, sessions }: ExportPlan): ExportRow[] {
  return Array.from({ length: rows.length }, (_, index) => readExportRow(rows, index, sessions));
}

/** Returns the session that a row comes from. */
export function findOwner(rows: PlanRows, sessions: ExportPlan["sessions"], index: number): Session {
  return at(sessions, at(rows.sessions, index));
}

function readExportRow(rows: PlanRows, index: number, sessions: ExportPlan["sessions"]): ExportRow {
  const owner = findOwner(rows, sessions, index);
  return {
    owner,
    record: owner.interaction(at(rows.interactions, index)),
    length: at(rows.lengths, index),
    reward: at(rows.rewards, index),
  };
}

function toNative(options: BatchOptions): PlanOptions {
  const { includeUndelivered, rowTensors, maxLength = 0, roots, ...others } = options;
  const { models: _, excludeModels: __, tags: ___, overlong: ____, ...rest } = others;
  return {
    ...rest,
    maxLength,
    includeLeftOut: includeUndelivered,
    rewardedRootsOnly: roots === "rewarded",
    ...(rowTensors && { columns: ROW_COLUMNS, labelLimit: MAX_LABELS }),
  };
}

function* countInteractions(sessions: readonly Session[]): Steps<number> {
  let count = 0;
  for (const { interactionCount } of sessions) {
    count += interactionCount;
    yield;
  }
  return count;
}

function toIndices(entries: readonly LeftOutInteraction[]): Uint32Array {
  return Uint32Array.from(entries, ({ index }) => index);
}

/** Throws if a final reward overflows: each reward fits a float32, but a sum of them may not. */
function* refuseOverflowingRewards(
  sessions: readonly Session[],
  options: BatchOptions,
  removes: Removes | undefined,
): Steps<void> {
  const overflowing: { session_id: string; interaction_id: string }[] = [];
  for (const session of sessions) {
    const removesHere = removesFrom(session, options, removes);
    const interaction = findOverflowingReward(() =>
      new native.PlanBuilder(toNative(options)).add(
        session.tokens,
        toIndices(session.leftOut.list()),
        removesHere && findRemoved(session, removesHere),
      ),
    );
    if (interaction !== undefined) {
      overflowing.push({ session_id: session.id, interaction_id: session.interaction(interaction).id });
    }
    yield;
  }
  const [first] = overflowing;
  if (!first) return;
  const message =
    `The discounted reward of interaction ${first.interaction_id} (session ${first.session_id}) does not fit a float32. ` +
    "Set smaller rewards, or export with a smaller discount.";
  const ids = overflowing.map(({ session_id }) => session_id);
  throw new SessionError("reward_overflow", message, { details: { sessions: ids, interactions: overflowing } });
}

/** Returns the index of the first interaction whose final reward overflows; undefined if there is none. */
function findOverflowingReward(plan: () => unknown): number | undefined {
  try {
    plan();
    return undefined;
  } catch (error) {
    const [, index] = /^reward: the final reward of interaction (\d+) /.exec((error as Error).message) ?? [];
    return index === undefined ? undefined : Number(index);
  }
}

/** Returns the error for a session whose channels cannot be in one batch with the others; undefined if this is not the reason. */
function channelConflict({ id }: Session, cause: Error): SessionError | undefined {
  const [, name, problem] = /^channel (\w+): (.*)$/.exec(cause.message) ?? [];
  if (name === undefined) return undefined;
  const message = `Session ${id} cannot be in this batch, because of its channel ${name}: ${problem}.`;
  return new SessionError("batch_not_exportable", message, { param: "sessionIds", cause });
}

function tooFewRowsError({ native }: ExportPlan, count: number, servers: number): SessionError {
  const maxShards = native.maxShards * servers;
  const where = servers === 1 ? "" : ` and a worker has rows for ${native.maxShards} of ${count}`;
  return new SessionError(
    "too_few_rows",
    `shards must be at most ${maxShards}, because rows and trees are not split${where}; received ${count * servers}.`,
    { param: "shards", details: { max_shards: maxShards } },
  );
}

function mismatchError(plan: NativePlan, sessions: ExportPlan["sessions"]): SessionError {
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
    (spell) =>
      `Interaction ${first.child_id} does not continue the tokens of ${first.parent_id} (session ${first.session_id}): ` +
      `at position ${first.position} the parent has token ${first.parent_token}, but the child ` +
      `${first.child_token < 0 ? "ends" : `has token ${first.child_token}`}. Use style "individual" or ` +
      `${spell("onMismatch")} "split".`,
    { details: { mismatches } },
  );
}

function overflowError(plan: NativePlan, sessions: ExportPlan["sessions"], { maxLength }: BatchOptions): SessionError {
  const rows = Array.from({ length: plan.overflows.length }, (_, index) => {
    const { owner, record, length } = readExportRow(plan.overflows, index, sessions);
    return { session_id: owner.id, interaction_id: record.id, length };
  });
  const first = at(rows, 0);
  return new SessionError(
    "max_length_exceeded",
    (spell) =>
      `${rows.length} rows are longer than ${spell("maxLength")} ${maxLength}. First: interaction ` +
      `${first.interaction_id} of session ${first.session_id} with ${first.length} tokens. ` +
      `Use overflow "truncate" or "drop", or a larger ${spell("maxLength")}.`,
    { param: "maxLength", details: { rows } },
  );
}

export function at<T>(list: ArrayLike<T | undefined>, index: number): T {
  const found = list[index];
  if (found === undefined) throw new RangeError(`index ${index} is outside of a list with ${list.length} entries`);
  return found;
}

/** Counts for the metadata of a batch, taken from each session when it is planned. */
export class PlannedCounts {
  readonly rewardsMissing: string[] = [];
  /** Sessions with tokens that a teacher has not scored, by the name of the teacher. */
  readonly unscored: ReadonlyMap<string, string[]>;
  readonly #teachers: readonly TeacherFields[];
  readonly #incompleteCalls: [id: string, count: number][] = [];
  readonly #abortedCalls: [id: string, count: number][] = [];

  constructor(teachers: readonly TeacherFields[]) {
    this.#teachers = teachers;
    this.unscored = new Map(teachers.map(({ name }) => [name, []]));
  }

  add(session: Session): void {
    const { id, rewardsMissing, counts } = session;
    for (const teacher of this.#teachers) {
      if (countUnscored(session, teacher) > 0) this.unscored.get(teacher.name)?.push(id);
    }
    const { incompleteCalls, abortedCalls } = counts;
    if (rewardsMissing) this.rewardsMissing.push(id);
    if (incompleteCalls > 0) this.#incompleteCalls.push([id, incompleteCalls]);
    if (abortedCalls > 0) this.#abortedCalls.push([id, abortedCalls]);
  }

  /** By session id, without sessions that have none. */
  get incompleteCalls(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#incompleteCalls);
  }

  /** By session id, without sessions that have none. */
  get abortedCalls(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#abortedCalls);
  }
}
