import { z } from "zod";
import { compilePattern } from "../../support/match-pattern.js";
import { listOf } from "../../support/schema/list-of.js";
import type { RecordedInteraction } from "../recorded-interaction.js";
import type { Session } from "../session.js";

/** Bounds of a filter's list. Recorded model names have at most 256 bytes. */
const MAX_PATTERNS = 100;
const MAX_PATTERN_LENGTH = 256;

/** Finish reason of an output that a token limit cut. */
const OVERLONG = "length";

const patterns = listOf(z.string().max(MAX_PATTERN_LENGTH), { min: 1, max: MAX_PATTERNS }).optional();

/** Options that choose the interactions that an export trains on. Rewards are computed before, over the whole session. */
export const filterFields = {
  models: patterns.describe(
    "Keeps only interactions whose request named one of these models. `*` stands for any characters, an empty string for no name. Without it, interactions of frozen models are left out.",
  ),
  excludeModels: patterns.describe("Removes interactions whose request named one of these models."),
  tags: patterns.describe(
    "Keeps only interactions with one of these tags (header `x-rolltape-tag`). `*` stands for any characters, an empty string for no tag.",
  ),
  roots: z
    .enum(["all", "rewarded"])
    .default("all")
    .describe(
      "rewarded: keeps only conversation trees that have a reward. A session reward counts for all trees of its session.",
    ),
  overlong: z
    .enum(["keep", "drop"])
    .default("keep")
    .describe("drop: removes interactions whose output a token limit cut (finish reason `length`)."),
} as const;

export type RowFilter = z.output<z.ZodObject<typeof filterFields>>;

/** Returns the filters under their names in HTTP bodies; undefined if there are none. */
export function describeFilter({ models, excludeModels, tags, roots, overlong }: RowFilter): object | undefined {
  const filters = {
    ...(models && { models }),
    ...(excludeModels && { exclude_models: excludeModels }),
    ...(tags && { tags }),
    ...(roots === "all" ? {} : { roots }),
    ...(overlong === "keep" ? {} : { overlong }),
  };
  return Object.keys(filters).length === 0 ? undefined : filters;
}

/** Returns true if a filter removes the interaction, regardless of rewards. */
export type Removes = (interaction: RecordedInteraction) => boolean;

/** Returns the test of all filters but `roots`; undefined if none of them is set. */
export function toInteractionFilter({ models, excludeModels, tags, overlong }: RowFilter): Removes | undefined {
  const dropsOverlong = overlong === "drop";
  if (!models && !excludeModels && !tags && !dropsOverlong) return undefined;
  const hasModel = models && matcher(models);
  const hasExcludedModel = excludeModels && matcher(excludeModels);
  const hasTag = tags && matcher(tags);
  return ({ requestedModel = "", tag = "", finishReason }) =>
    (dropsOverlong && finishReason === OVERLONG) ||
    hasModel?.(requestedModel) === false ||
    hasExcludedModel?.(requestedModel) === true ||
    hasTag?.(tag) === false;
}

/**
 * Returns the test for the interactions of a session. Those of frozen models are removed too, unless the filter names the models to keep.
 *
 * @param removes the result of {@link toInteractionFilter}
 */
export function removesFrom(
  session: Session,
  { models }: RowFilter,
  removes: Removes | undefined,
): Removes | undefined {
  if (models || !session.hasFrozen) return removes;
  return (interaction) => interaction.frozen === true || removes?.(interaction) === true;
}

/** Returns the indices of the interactions that the test removes, in ascending order. */
export function findRemoved(session: Session, removes: Removes): Uint32Array {
  const removed: number[] = [];
  for (let index = 0; index < session.interactionCount; index++) {
    if (removes(session.interaction(index))) removed.push(index);
  }
  return Uint32Array.from(removed);
}

/** Returns a function that tests the patterns. It remembers results, because most rows share a few texts. */
function matcher(list: readonly string[]): (text: string) => boolean {
  const tests = list.map(compilePattern);
  const known = new Map<string, boolean>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const matches = tests.some((test) => test(text));
    known.set(text, matches);
    return matches;
  };
}
