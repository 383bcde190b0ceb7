import { describe, expect, it } from "vitest";
import { batchOptionsSchema } from "../../src/session/batch/batch-options.js";
import { refuseConflicts } from "../../src/session/batch/option-conflicts.js";
import { describeFilter } from "../../src/session/batch/row-filter.js";
import type { SessionError } from "../../src/session/errors.js";
import { type StoreExportOptions, TrajectoryStore } from "../../src/session/trajectory-store.js";
import { turn, user } from "../helpers/turn.js";

/** Records four calls whose prompts are different: each is a tree of its own. */
function fillStore(): TrajectoryStore {
  const store = new TrajectoryStore();
  const session = store.createSession({ sessionId: "s" });
  const record = (id: string, fields: object) =>
    session.record({ ...turn([user(id)], [1], [2]), interactionId: id, ...fields });
  record("plain", {});
  record("large", { model: "qwen-large", tag: "plan" });
  record("small", { model: "qwen-small", tag: "act" });
  record("long", { model: "other", finishReason: "length" });
  session.setReward(1, "small");
  session.end();
  return store;
}

describe("an export with a filter", () => {
  it.each<[StoreExportOptions, string[]]>([
    [{}, ["plain", "large", "small", "long"]],
    [{ models: ["qwen-*"] }, ["large", "small"]],
    [{ models: ["qwen-large", "other"] }, ["large", "long"]],
    [{ models: [""] }, ["plain"]],
    [{ excludeModels: ["qwen-*"] }, ["plain", "long"]],
    [{ excludeModels: [""] }, ["large", "small", "long"]],
    [{ models: ["*"], excludeModels: ["*-large"] }, ["plain", "small", "long"]],
    [{ tags: ["plan"] }, ["large"]],
    [{ tags: ["", "act"] }, ["plain", "small", "long"]],
    [{ overlong: "drop" }, ["plain", "large", "small"]],
    [{ overlong: "drop", excludeModels: ["qwen-*"] }, ["plain"]],
    [{ roots: "rewarded" }, ["small"]],
  ])("%j has the rows of the chosen calls", async (options, ids) => {
    const { rows } = await fillStore().exportBatch(["s"], options);
    expect(rows.map(({ interactionId }) => interactionId)).toEqual(ids);
  });
});

describe("the description of a filter", () => {
  const describeOf = (options: StoreExportOptions) => describeFilter(batchOptionsSchema.parse(options));

  it("has the options that differ from their defaults, under their names in HTTP bodies", () => {
    expect(describeOf({ style: "concat" })).toBeUndefined();
    expect(describeOf({ roots: "rewarded" })).toEqual({ roots: "rewarded" });
    expect(describeOf({ overlong: "drop" })).toEqual({ overlong: "drop" });
    expect(describeOf({ models: ["a"], excludeModels: ["b"], tags: ["c"] })).toEqual({
      models: ["a"],
      exclude_models: ["b"],
      tags: ["c"],
    });
  });
});

describe("options that contradict each other", () => {
  it.each<[StoreExportOptions, string | undefined]>([
    [{ layout: "tree" }, undefined],
    [{ layout: "tree", maxLength: 5 }, "maxLength"],
    [{ layout: "packed", maxLength: 5 }, undefined],
    [{ turns: true }, undefined],
    [{ turns: true, layout: "tree" }, "turns"],
    [{ turns: true, rowTensors: false }, "turns"],
    [{ sharedTurns: "weight" }, "sharedTurns"],
    [{ sharedTurns: "weight", turns: true }, undefined],
    [{ sharedTurns: "first" }, undefined],
    [{ concatReward: "return" }, "concatReward"],
    [{ concatReward: "return", style: "concat" }, undefined],
    [{ concatReward: "return", style: "concat", layout: "tree" }, "concatReward"],
  ])("%j are refused with the field at fault", (options, param) => {
    let found: SessionError | undefined;
    try {
      refuseConflicts(batchOptionsSchema.parse(options));
    } catch (error) {
      found = error as SessionError;
    }
    expect([found?.code, found?.param]).toEqual(
      param === undefined ? [undefined, undefined] : ["invalid_value", param],
    );
  });

  it.each([
    [{ concatReward: "return" }, "unless style is concat"],
    [
      { concatReward: "return", style: "concat", layout: "tree" },
      "for layout tree, because its nodes have one turn each",
    ],
  ] as const)("%j are refused with what they contradict", (options, where) => {
    expect(() => refuseConflicts(batchOptionsSchema.parse(options))).toThrow(
      `concatReward must be leaf ${where}; received return.`,
    );
  });
});
