import { describe, expect, it } from "vitest";
import { BatchRows } from "../../../src/batch-file/batch-rows.js";
import { tensorsInMemory } from "../../../src/batch-file/tensor-ranges.js";
import { encodeHeader } from "../../../src/support/safetensors/write-header.js";
import type { EpisodeLine } from "../../../src/transcript/format.js";
import { readEpisodeTensors, toEpisode } from "../../../src/view/sources/batch-episodes.js";

type Column = Int32Array | Float32Array | Uint8Array;

interface Row {
  readonly session_id: string;
  readonly interaction_id: string;
  readonly length: number;
  readonly task_id?: string;
  readonly group_id?: string;
}

const ROWS: readonly Row[] = [
  { session_id: "other", interaction_id: "x", length: 3 },
  { session_id: "s", interaction_id: "a", length: 6, task_id: "t", group_id: "g" },
  { session_id: "s", interaction_id: "b", length: 9, task_id: "t", group_id: "g" },
];

const i32 = (...values: number[]) => Int32Array.from(values);
const f32 = (...values: number[]) => Float32Array.from(values);
const bool = (...values: number[]) => Uint8Array.from(values);

function dtypeOf(column: Column) {
  if (column instanceof Int32Array) return "I32";
  return column instanceof Float32Array ? "F32" : "BOOL";
}

/** Reads the episode of session `s` from a batch with these columns. */
async function read(
  columns: Readonly<Record<string, Column>>,
  metadata: Readonly<Record<string, string>> = {},
  rows = ROWS,
): Promise<EpisodeLine> {
  const specs = Object.entries(columns).map(([name, column]) => {
    return { name, dtype: dtypeOf(column), shape: [column.length] } as const;
  });
  const data = Object.values(columns).map(({ buffer }) => new Uint8Array(buffer));
  const file = tensorsInMemory(
    Uint8Array.from(Buffer.concat([encodeHeader(specs, { ...metadata, rows: JSON.stringify(rows) }), ...data])),
  );
  const batch = { rows: new BatchRows(file.header), length: (row: number) => rows[row]?.length ?? 0 };
  return toEpisode(batch, await readEpisodeTensors(file), "s", 4);
}

const CODES = {
  row_codes: JSON.stringify({
    finish_reason: ["stop", "length"],
    cause: ["rerendered"],
    api: ["messages"],
    tag: ["plan"],
    request_kind: ["title"],
  }),
};

describe("an episode of a batch file", () => {
  it("has what the columns say about its calls", async () => {
    const columns = {
      row_parent: i32(-1, -1, 1),
      row_prompt_tokens: i32(2, 4, 7),
      row_finish_reason: i32(0, 1, 0),
      row_cause: i32(-1, -1, 0),
      row_api: i32(-1, 0, -1),
      row_tag: i32(-1, 0, -1),
      row_request_kind: i32(-1, 0, -1),
      row_created_at: i32(5, 6, 7),
      row_latency: f32(1, 0.5, 0),
      row_token_exact: bool(0, 0, 1),
      row_undelivered: bool(0, 0, 1),
      row_own_reward: f32(9, 0.25, 9),
      row_has_reward: bool(0, 1, 0),
      row_episode_reward: f32(9, 2.25, 2.25),
      rewards: f32(9, 1, 2),
    };
    const call = { kept: 0, messages: [], answer: { role: "assistant", content: "" } };
    expect(await read(columns, CODES)).toEqual({
      type: "episode",
      session_id: "s",
      task: 4,
      task_id: "t",
      group_id: "g",
      accepted: true,
      version: 0,
      session_reward: 2,
      interactions: [
        {
          ...call,
          id: "a",
          parent: -1,
          finish_reason: "length",
          created_at: 6,
          prompt_tokens: 4,
          completion_tokens: 2,
          shared_tokens: 0,
          token_exact: true,
          reward: 1,
          api: "messages",
          tag: "plan",
          request_kind: "title",
          own_reward: 0.25,
          latency: 0.5,
        },
        {
          ...call,
          id: "b",
          parent: 0,
          finish_reason: "stop",
          created_at: 7,
          prompt_tokens: 7,
          completion_tokens: 2,
          shared_tokens: 6,
          token_exact: true,
          reward: 2,
          cause: "rerendered",
          left_out: "undelivered",
        },
      ],
    });
  });

  it("has little in a file without columns", async () => {
    const { interactions, ...head } = await read(
      {},
      {},
      ROWS.map(({ task_id: _task, group_id: _group, ...row }) => row),
    );
    expect(head).toEqual({
      type: "episode",
      session_id: "s",
      task: 4,
      task_id: "s",
      accepted: true,
      version: 0,
    });
    expect(interactions).toMatchObject([
      {
        id: "a",
        parent: -1,
        finish_reason: "unknown",
        created_at: 0,
        prompt_tokens: 0,
        completion_tokens: 6,
        reward: 0,
      },
      { id: "b", parent: -1, completion_tokens: 9, shared_tokens: 0, token_exact: true },
    ]);
  });

  it("has the parents, rewards and own tokens of the nodes of a tree", async () => {
    const { interactions } = await read({
      node_parents: i32(-1, -1, 1),
      node_offsets: i32(0, 3, 9, 13),
      node_rewards: f32(9, 1, 2),
      row_prompt_tokens: i32(2, 4, 8),
    });
    expect(interactions).toMatchObject([
      { parent: -1, reward: 1, shared_tokens: 0, token_exact: true },
      { parent: 0, reward: 2, shared_tokens: 5, token_exact: false },
    ]);
    const [, long] = (await read({ node_offsets: i32(0, 3, 9, 13), row_prompt_tokens: i32(2, 4, 3) })).interactions;
    expect(long?.shared_tokens).toBe(3);
  });

  it("shares nothing with a parent whose tokens its prompt does not begin with", async () => {
    const columns = { row_parent: i32(-1, -1, 1), row_prompt_tokens: i32(2, 4, 7), row_token_exact: bool(0, 0, 0) };
    const [, second] = (await read(columns)).interactions;
    expect(second).toMatchObject({ parent: 0, shared_tokens: 0, token_exact: false });
  });

  it.each([
    ["a later call", i32(-1, 2, -1), [-1, -1]],
    ["a call of another session", i32(-1, -1, 0), [-1, -1]],
    ["itself", i32(-1, 1, 2), [-1, -1]],
  ])("has no parent where the file names %s", async (_, row_parent, parents) => {
    expect((await read({ row_parent })).interactions.map(({ parent }) => parent)).toEqual(parents);
  });

  it("has values within their bounds, whatever the file has", async () => {
    const { interactions } = await read({
      row_prompt_tokens: i32(0, 100, -5),
      row_latency: f32(0, -1, Infinity),
      rewards: f32(0, Number.NaN, -Infinity),
      row_has_reward: bool(0, 1, 1),
      row_own_reward: f32(0, Number.NaN, 1),
      row_finish_reason: i32(0, 7, -1),
    });
    expect(interactions).toMatchObject([
      { prompt_tokens: 6, completion_tokens: 0, reward: 0, own_reward: 0, finish_reason: "unknown" },
      { prompt_tokens: 0, completion_tokens: 9, reward: 0, own_reward: 1, finish_reason: "unknown" },
    ]);
    expect(interactions.filter((each) => "latency" in each)).toEqual([]);
  });

  it.each(["{", "null", "[]", "5", '{"finish_reason": 5}'])("ignores names of codes that are %s", async (row_codes) => {
    const { interactions } = await read({ row_finish_reason: i32(0, 0, 0) }, { row_codes });
    expect(interactions.map(({ finish_reason: reason }) => reason)).toEqual(["unknown", "unknown"]);
  });

  it.each([
    ["more than that of its calls", f32(0, 1.5, 1.5), f32(0, 0.5, 0), bool(0, 1, 0), [], 1],
    ["less than that of its calls", f32(0, 0.5, 0.5), f32(0, 1, 0), bool(0, 1, 0), [], -0.5],
    ["that of its calls", f32(0, 0.3, 0.3), f32(0, 0.1, 0.2), bool(0, 1, 1), [], undefined],
    ["0, without rewards of calls", f32(0, 0, 0), f32(0, 0, 0), bool(0, 0, 0), ["other"], 0],
    ["missing", f32(0, 0, 0), f32(0, 0, 0), bool(0, 0, 0), ["s"], undefined],
    ["0, with a reward of a call", f32(0, 0, 0), f32(0, 0, 0), bool(0, 1, 0), [], undefined],
  ])("has a reward of the session if that of the episode is %s", async (_, total, own, has, missing, expected) => {
    const columns = { row_episode_reward: total, row_own_reward: own, row_has_reward: has };
    const { session_reward: reward } = await read(columns, { rewards_missing: JSON.stringify(missing) });
    expect(reward).toBe(expected);
  });
});
