import * as fc from "fast-check";
import type { BatchOptionsInput } from "../../../src/session/batch/batch-options.js";
import { type ModelledSession, modelSession, type Step } from "./modelled-session.js";

/** Few ids, so that sequences also agree by chance, and the greatest possible id. */
const tokenId = fc.oneof({ weight: 9, arbitrary: fc.nat(3) }, { weight: 1, arbitrary: fc.constant(2 ** 31 - 1) });

const sampled = fc.record({
  id: tokenId,
  // Multiples of a power of two, which float32 represents exactly.
  logprob: fc.integer({ min: 1, max: 4096 }).map((k) => -k / 1024),
  version: fc.nat(2),
});

// Sums of these, discounted by quarters, are exact in float64 in any order of addition, but not always in float32.
const reward = fc.integer({ min: -(2 ** 20), max: 2 ** 20 }).map((k) => k / 1024);
const sessionReward = fc.option(reward, { nil: undefined, freq: 1 });
const discount = fc.constantFrom(0, 0.25, 0.5, 0.75, 1);

export const step: fc.Arbitrary<Step> = fc.record({
  from: fc.nat(),
  history: fc.constantFrom("continued", "continued", "continued", "rewritten", "again", "root"),
  question: fc.nat(1),
  answer: fc.nat(1),
  prompt: fc.constantFrom("exact", "exact", "exact", "changed", "shortened", "unrelated"),
  at: fc.nat(),
  tail: fc.array(tokenId, { maxLength: 3 }),
  output: fc.array(sampled, { maxLength: 3 }),
  reward: fc.option(reward, { nil: undefined, freq: 1 }),
  finishReason: fc.constantFrom("stop", "stop", "length", "tool_calls", "halted", 'other "ü"'),
  model: fc.constantFrom(undefined, "main", "main", "small", "sma*ll"),
  tag: fc.constantFrom(undefined, "title", "solve"),
  undelivered: fc.boolean(),
});

const MAX_TURNS = 10;

/** Random sessions, and those of them that are exported, in a random order. */
export interface ManySessions {
  readonly all: readonly ModelledSession[];
  readonly exported: readonly ModelledSession[];
}

/** Includes branches, children that are not token-exact, empty prompts and outputs, and undelivered answers. */
export function manySessions({ undelivered }: { readonly undelivered: boolean }): fc.Arbitrary<ManySessions> {
  return fc
    .array(fc.tuple(fc.array(step, { maxLength: MAX_TURNS, size: "max" }), sessionReward), {
      minLength: 1,
      maxLength: 3,
    })
    .map((many) =>
      many.map(([steps, whole], i) => ({
        ...modelSession(
          `task-${i}`,
          steps.map((each) => ({ ...each, undelivered: undelivered && each.undelivered })),
          whole,
        ),
        // One session has its own task and no group. The others are samples of one task.
        ...(i > 0 && { taskId: "same:task", groupId: 'group "ü"' }),
      })),
    )
    .chain((all) => fc.shuffledSubarray(all, { minLength: 1 }).map((exported) => ({ all, exported })));
}

const models = fc.uniqueArray(fc.constantFrom("main", "sma*", "*l*", "", "other"), { minLength: 1, maxLength: 2 });
const tags = fc.uniqueArray(fc.constantFrom("title", "solve", ""), { minLength: 1, maxLength: 2 });

const common = {
  style: fc.constantFrom("individual", "concat"),
  onMismatch: fc.constantFrom("split", "split", "error"),
  concatReward: fc.constantFrom("leaf", "leaf", "return"),
  sharedTurns: fc.constantFrom("every", "first", "first", "weight"),
  includeUndelivered: fc.boolean(),
  models: fc.option(models, { nil: undefined, freq: 2 }),
  excludeModels: fc.option(models, { nil: undefined, freq: 2 }),
  tags: fc.option(tags, { nil: undefined, freq: 1 }),
  roots: fc.constantFrom("all", "all", "rewarded"),
  overlong: fc.constantFrom("keep", "keep", "drop"),
  rowTensors: fc.constantFrom(true, true, false),
  discount,
  padTokenId: fc.constantFrom(0, 7, -100, 2 ** 31 - 1),
  padSide: fc.constantFrom("left", "right"),
  padToMultipleOf: fc.constantFrom(1, 2, 8, 13),
} as const;

const limits = {
  maxLength: fc.integer({ min: 1, max: 16 }),
  overflow: fc.constantFrom("truncate", "truncate", "drop", "drop", "error"),
} as const;

const rowOptions = fc.record(
  { ...common, ...limits, layout: fc.constantFrom("padded", "packed"), turns: fc.boolean() },
  { requiredKeys: [] },
);
const treeOptions = fc.record({ ...common, layout: fc.constant("tree") }, { requiredKeys: ["layout"] });
const limitedTree = fc.record({ ...common, ...limits, layout: fc.constant("tree") });
const treeOfTurns = fc.record({ ...common, turns: fc.constant(true), layout: fc.constant("tree") });

/** Returns true if no sessions are refused with these options, provided that `concat` may split. */
export function isPackable(options: BatchOptionsInput): boolean {
  const { maxLength, turns, layout, rowTensors, style, concatReward, sharedTurns } = options;
  if (sharedTurns === "weight" && !turns) return false;
  if (concatReward === "return" && (style !== "concat" || layout === "tree")) return false;
  return maxLength === undefined && !(turns && (layout === "tree" || rowTensors === false));
}

/** Each option may be absent, and every combination that is refused occurs. */
export const batchOptions: fc.Arbitrary<BatchOptionsInput> = fc.oneof(
  { weight: 8, arbitrary: rowOptions },
  { weight: 4, arbitrary: treeOptions },
  { weight: 1, arbitrary: limitedTree },
  { weight: 1, arbitrary: treeOfTurns },
);

/** Options of exports in this process, which may leave the files of images out. */
export const localOptions: fc.Arbitrary<BatchOptionsInput> = fc
  .tuple(batchOptions, fc.constantFrom(undefined, "tensor", "files"))
  .map(([options, imageBytes]) => ({ ...options, ...(imageBytes && { imageBytes }) }));
