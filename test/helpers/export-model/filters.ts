import type { BatchOptionsInput } from "../../../src/session/batch/batch-options.js";
import { isLeftOut, type ModelledSession, type Turn } from "./modelled-session.js";

export type Filters = Pick<BatchOptionsInput, "models" | "excludeModels" | "tags" | "roots" | "overlong">;

/** Returns true if a pattern matches a whole text. */
function matches(pattern: unknown, text: string): boolean {
  const parts = String(pattern).split("*");
  const literal = (part: string) => part.replace(/[^\w]/g, String.raw`\$&`);
  return new RegExp(`^${parts.map(literal).join(".*")}$`, "s").test(text);
}

/** Returns true if a filter removes the call. */
export function isRemoved(
  turn: Turn,
  session: ModelledSession,
  { models, excludeModels, tags, roots, overlong }: Filters,
): boolean {
  const { model = "", tag = "" } = turn;
  const isAny = (patterns: readonly unknown[], text: string) => patterns.some((pattern) => matches(pattern, text));
  if (models && !isAny(models, model)) return true;
  if (excludeModels && isAny(excludeModels, model)) return true;
  if (tags && !isAny(tags, tag)) return true;
  if (overlong === "drop" && turn.finishReason === "length") return true;
  return roots === "rewarded" && session.sessionReward === undefined && !hasRewardedTree(turn, session);
}

/** Returns true if the export trains on the call. */
export function isKept(turn: Turn, session: ModelledSession, filters: Filters): boolean {
  return !isLeftOut(turn, session.turns) && !isRemoved(turn, session, filters);
}

/** Returns the index of the root of a call's tree. */
export function findRoot(index: number, turns: readonly Turn[]): number {
  const parent = turns[index]?.parent ?? -1;
  return parent < 0 ? index : findRoot(parent, turns);
}

function hasRewardedTree(turn: Turn, { turns }: ModelledSession): boolean {
  const root = findRoot(turns.indexOf(turn), turns);
  return turns.some(({ reward }, i) => reward !== undefined && findRoot(i, turns) === root);
}

/** Returns the filters under their names in the metadata; undefined if there are none. */
export function describeFilters({ models, excludeModels, tags, roots, overlong }: Filters): object | undefined {
  const set = Object.entries({
    models,
    exclude_models: excludeModels,
    tags,
    roots: roots === "all" ? undefined : roots,
    overlong: overlong === "keep" ? undefined : overlong,
  });
  const inForce = set.filter(([, value]) => value !== undefined);
  return inForce.length === 0 ? undefined : Object.fromEntries(inForce);
}

/** Returns true if the session has a reward, and none of its calls that are kept receives a share of it. */
export function losesRewards(session: ModelledSession, filters: Filters, discount: number): boolean {
  const { turns, sessionReward } = session;
  const hasReward = sessionReward !== undefined || turns.some(({ reward }) => reward !== undefined);
  const isAnyRemoved = turns.some((turn) => !isLeftOut(turn, turns) && isRemoved(turn, session, filters));
  if (!hasReward || !isAnyRemoved) return false;
  const below = (index: number): Turn[] =>
    turns.flatMap((turn, i) => (turn.parent === index && discount > 0 ? [turn, ...below(i)] : []));
  const hasPresentChild = (index: number) => turns.some((turn) => turn.parent === index && !isLeftOut(turn, turns));
  return turns.every((turn, index) => {
    if (!isKept(turn, session, filters)) return true;
    const ofSession = sessionReward !== undefined && (discount > 0 || !hasPresentChild(index));
    return !ofSession && [turn, ...below(index)].every(({ reward }) => reward === undefined);
  });
}
