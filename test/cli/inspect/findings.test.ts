import { describe, expect, it } from "vitest";
import {
  addFindings,
  type BatchFindings,
  describeFindings,
  NO_FINDINGS,
} from "../../../src/cli/inspect/batch-findings.js";
import { describeMetadata, readFacts, sumCounts } from "../../../src/cli/inspect/metadata.js";
import { formatFloat } from "../../../src/cli/inspect/numbers.js";
import { listWarnings } from "../../../src/cli/inspect/warnings.js";

const find = (changes: Partial<BatchFindings>): BatchFindings => ({ ...NO_FINDINGS, rows: 9, ...changes });

describe("the findings of a batch", () => {
  it.each<[Partial<BatchFindings>, RegExp]>([
    [
      { uncountedRows: 2 },
      /^2 of 9 rows have rewards on earlier turns that the row's reward does not count\. Set rollout\.agent\.concat_reward=return/,
    ],
    [
      { unrewardedRoots: 1 },
      /^1 conversation has no reward and trains with reward 0\. Set rollout\.agent\.reward_scope=session/,
    ],
    [
      { unrewardedRoots: 2, firstUnrewarded: { session_id: "s", interaction_id: "i" } },
      /^2 conversations have no reward and train with reward 0 \(first: session s, interaction i\)\. Set/,
    ],
    [
      { episodes: 8, lowestReward: 0.5, highestReward: 0.5, groups: 2, equalGroups: 2, firstEqual: "g" },
      /^all 8 episodes have the reward 0\.5, which says nothing about which is better\. Check the agent's reward/,
    ],
    [
      { episodes: 7, lowestReward: 0.5, highestReward: 0.5, groups: 1, equalGroups: 1, firstEqual: "g" },
      /^1 of 1 group has the same reward in every episode \(first: g\)\. Advantages within such a group are 0/,
    ],
    [
      { episodes: 9, lowestReward: 0, highestReward: 1, groups: 3, equalGroups: 2 },
      /^2 of 3 groups have the same reward in every episode \(first: \)\./,
    ],
    [
      { rewardsFiltered: 1, firstFiltered: "s" },
      /^1 session has a reward that reaches no row, because the filters removed the rewarded calls \(first session: s\)\. Change/,
    ],
    [
      { rewardsFiltered: 2 },
      /^2 sessions have rewards that reach no row, .* \(first session: \)\. Change rollout\.agent\.export_filters/,
    ],
    [{ undelivered: 1 }, /^1 model call is not trained on: the answer did not reach the agent\. Look for agents/],
    [{ undelivered: 2 }, /^2 model calls are not trained on: the answer did not reach the agent\./],
    [{ retried: 1 }, /^1 model call is not trained on: the client sent the request again\. Turn retries off/],
    [{ retried: 2 }, /^2 model calls are not trained on: the client sent the request again\./],
    [{ rawRows: 3 }, /^3 of 9 rows have raw log probabilities.* Start vLLM with --logprobs-mode processed_logprobs/],
    [{ unknownRows: 3 }, /^3 of 9 rows have log probabilities of unknown content\. GET \/rl\/engine/],
    [
      { unmaskedRows: 3 },
      /^3 of 9 rows have log probabilities over the tokens that .* Set engine\.sampling_masks=true/,
    ],
    [{ rerenderedRows: 3 }, /^3 of 9 rows begin with a prompt that .* Set rollout\.agent\.chat_template_type=concat/],
  ])("%o are one warning", (changes, pattern) => {
    expect(describeFindings(find(changes))).toEqual([expect.stringMatching(pattern)]);
  });

  it("are no warning if there are none", () => {
    expect(describeFindings(NO_FINDINGS)).toEqual([]);
    expect(describeFindings(find({ episodes: 8, lowestReward: 0, highestReward: 1 }))).toEqual([]);
  });

  it("have no control characters", () => {
    expect(describeFindings(find({ rewardsFiltered: 2, firstFiltered: "a\u001b[2J" }))[0]).not.toContain("\u001b");
  });

  it("of two batches are added, and name the first", () => {
    const counts = [
      "rows",
      "uncountedRows",
      "unrewardedRoots",
      "rewardsFiltered",
      "undelivered",
      "retried",
      "rawRows",
      "unknownRows",
      "unmaskedRows",
      "rerenderedRows",
      "episodes",
      "groups",
      "equalGroups",
    ] as const;
    const numbered = (start: number) => Object.fromEntries(counts.map((name, index) => [name, start + index]));
    const root = { session_id: "s", interaction_id: "i" };
    const first = find({ ...numbered(1), lowestReward: 0, highestReward: 1, firstEqual: "g", firstFiltered: "f" });
    const second = find({
      ...numbered(100),
      lowestReward: -1,
      highestReward: 0.5,
      firstEqual: "h",
      firstFiltered: "k",
      firstUnrewarded: root,
    });
    expect(addFindings(first, second)).toEqual({
      ...Object.fromEntries(counts.map((name, index) => [name, 101 + 2 * index])),
      lowestReward: -1,
      highestReward: 1,
      firstEqual: "g",
      firstFiltered: "f",
      firstUnrewarded: root,
    });
    expect(addFindings(second, first)).toMatchObject({ firstEqual: "h", firstFiltered: "k", firstUnrewarded: root });
    expect(addFindings(NO_FINDINGS, second)).toEqual(second);
  });
});

describe("the metadata of a file", () => {
  const describeEntries = (metadata: Record<string, string>) => describeMetadata({ metadata, tensors: [] } as never);

  it.each<[string, unknown, string | undefined]>([
    ["rows", [], undefined],
    ["row_codes", { finish_reason: ["stop"] }, undefined],
    ["row_codes", { finish_reason: "stop" }, '{"finish_reason":"stop"}'],
    ["unrewarded_roots", { count: 0, first: [] }, "none"],
    ["unrewarded_roots", { count: 1, first: [{ session_id: "s", interaction_id: "i" }] }, "1: s i"],
    ["unrewarded_roots", { count: 5, first: [{ session_id: "s", interaction_id: "i" }] }, "5: s i, …"],
    ["uncounted_rewards", { rows: 0, first: [] }, "none"],
    ["uncounted_rewards", { rows: 4, first: [1, 3, 5, 6] }, "4: row 1, 3, 5, …"],
    ["uncounted_rewards", { rows: 3, first: [1, 3, 5] }, "3: row 1, 3, 5"],
    ["rewards_missing", [], "none"],
    ["rewards_missing", ["a", "b"], "2: a, b"],
    ["rewards_filtered", [], "none"],
    ["rewards_filtered", ["a", "b", "c", "d"], "4: a, b, c, …"],
    ["incomplete_calls", {}, "none"],
    ["incomplete_calls", { a: 1, b: 2 }, "3: a 1, b 2"],
    ["aborted_calls", { a: 1 }, "1: a 1"],
    ["aborted_calls", { a: -1 }, '{"a":-1}'],
    ["left_out", { undelivered: 0, retried: 0 }, "none"],
    ["left_out", { undelivered: 2, retried: 0 }, "2 undelivered"],
    ["left_out", { undelivered: 2, retried: 1 }, "2 undelivered, 1 retried"],
    ["config", { a: "x", b: 1 }, "a: x"],
    ["config", [1], "[1]"],
    ["other", "x".repeat(98), `"${"x".repeat(98)}"`],
    ["other", "x".repeat(99), `"${"x".repeat(99)}… (101 characters)`],
  ])("shows %s %j as %s", (name, value, line) => {
    const [first] = describeEntries({ [name]: JSON.stringify(value) });
    expect(first).toEqual(line === undefined ? undefined : [name, line]);
  });

  it("has the name on the first of several lines", () => {
    expect(describeEntries({ config: JSON.stringify({ a: "x", b: { c: 1 } }) })).toEqual([
      ["config", "a: x"],
      ["", 'b: {"c":1}'],
    ]);
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, index]));
    expect(describeEntries({ config: JSON.stringify(many) })).toHaveLength(40);
  });

  it("is read entry by entry, without those in another form", () => {
    const metadata = { rewards_missing: '["a"]', rewards_filtered: "{}", aborted_calls: "no json" };
    expect(readFacts({ metadata } as never)).toMatchObject({
      rewardsMissing: ["a"],
      rewardsFiltered: undefined,
      abortedCalls: undefined,
    });
    expect(sumCounts({ a: 2, b: 3 })).toBe(5);
  });
});

describe("the warnings about a batch", () => {
  const warn = (metadata: Record<string, string>, findings = NO_FINDINGS) =>
    listWarnings({ header: { metadata }, findings } as never);

  it.each<[Record<string, string>, RegExp]>([
    [
      { rewards_missing: '["a"]' },
      /^1 session has no reward and trains with reward 0 \(first: session a\)\. Set rollout/,
    ],
    [{ rewards_missing: '["a","b"]' }, /^2 sessions have no reward and train with reward 0 \(first: session a\)\./],
    [{ aborted_calls: '{"a":1}' }, /^1 model call was not recorded: the client disconnected/],
    [
      { aborted_calls: '{"a":1,"b":1}' },
      /^2 model calls were not recorded: .* Look for agents that abort calls or time out\.$/,
    ],
  ])("have those of its metadata: %o", (metadata, pattern) => {
    expect(warn(metadata)).toEqual([expect.stringMatching(pattern)]);
  });

  it("name conversations once, and follow the findings", () => {
    const roots = JSON.stringify({ count: 1, first: [] });
    expect(warn({ rewards_missing: '["a"]', unrewarded_roots: roots })).toEqual([]);
    expect(warn({ rewards_missing: "[]", aborted_calls: "{}" })).toEqual([]);
    const both = warn({ aborted_calls: '{"a":1}' }, find({ retried: 1 }));
    expect(both.map((line) => line.slice(0, 16))).toEqual(["1 model call is ", "1 model call was"]);
  });
});

it.each([
  [0.1 + 0.2, "0.3"],
  [1 / 3, "0.333333"],
  [1234567, "1234570"],
  [5, "5"],
])("%d is shown as %s", (value, text) => {
  expect(formatFloat(value)).toBe(text);
});
