import * as fc from "fast-check";
import type { BatchOptionsInput } from "../../../src/session/batch/batch-options.js";
import { type ModelledSession, modelSession, type Step } from "./modelled-session.js";

/** Few different ids, so that random sequences often have equal beginnings; and the largest id. */
const tokenId = fc.oneof({ weight: 9, arbitrary: fc.nat(3) }, { weight: 1, arbitrary: fc.constant(2 ** 31 - 1) });

const sampled = fc.record({
  id: tokenId,
  // Multiples of a power of two, which float32 holds exactly.
  logprob: fc.integer({ min: 1, max: 4096 }).map((k) => -k / 1024),
  version: fc.nat(2),
});

// Discounted by quarters, sums of these are exact in float64 in any order, but not always in float32.
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
  undelivered: fc.boolean(),
});

const MAX_TURNS = 10;

/** Random sessions, and the ones to export: some of them, in random order. */
export interface ManySessions {
  readonly all: readonly ModelledSession[];
  readonly exported: readonly ModelledSession[];
}

/** Generates sessions with branches, children that are not token-exact, empty prompts and outputs, and undelivered answers. */
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
        // The first session has its own task and no group. The others are samples of one task.
        ...(i > 0 && { taskId: "same:task", groupId: 'group "ü"' }),
      })),
    )
    .chain((all) => fc.shuffledSubarray(all, { minLength: 1 }).map((exported) => ({ all, exported })));
}

const common = {
  style: fc.constantFrom("individual", "concat"),
  onMismatch: fc.constantFrom("split", "split", "error"),
  concatReward: fc.constantFrom("leaf", "leaf", "return"),
  includeUndelivered: fc.boolean(),
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

/** Returns true if these options are never refused for any sessions, provided that `concat` may split. */
export function isPackable({ maxLength, turns, layout, rowTensors, style, concatReward }: BatchOptionsInput): boolean {
  if (concatReward === "return" && (style !== "concat" || layout === "tree")) return false;
  return maxLength === undefined && !(turns && (layout === "tree" || rowTensors === false));
}

/** Generates options. Each is sometimes absent, and each refused combination occurs sometimes. */
export const batchOptions: fc.Arbitrary<BatchOptionsInput> = fc.oneof(
  { weight: 8, arbitrary: rowOptions },
  { weight: 4, arbitrary: treeOptions },
  { weight: 1, arbitrary: limitedTree },
  { weight: 1, arbitrary: treeOfTurns },
);
