import { describe, expect, it } from "vitest";
import { ApiError } from "../../../src/http/errors.js";
import type { Source, TokenChannel, TokenRange, TokenSlice } from "../../../src/view/api.js";
import { embedTokens } from "../../../src/view/html/embed-tokens.js";
import { episode, interaction } from "../../transcript/lines.js";

const channel = (fields: Partial<TokenChannel>): TokenChannel => ({
  name: "scores",
  title: "scores",
  meaning: "",
  absence: "",
  values: "logprobs",
  dtype: "F32",
  shape: [],
  of: "sequence",
  ragged: false,
  ...fields,
});

const image = (from: number, count: number) => ({ from, count, sha256: `${from}`, width: 1, height: 1 });

const SLICE: TokenSlice = {
  total: 3,
  output_start: 1,
  ids: [7, 8, 7],
  texts: ["a", "b", "a"],
  logprobs: [0, -0.123456, -1],
  loss_mask: [0, 1, 1],
  versions: [-1, 3, 3],
  temperature: 0.5,
  channels: [],
  images: [],
};

/** Embeds an episode whose calls have these answers, one list for each call; an error is thrown. */
function embed(...answers: readonly (readonly (TokenSlice | Error)[])[]) {
  const asked: TokenRange[] = [];
  const left = answers.map((each) => [...each]);
  const tokens = async (range: TokenRange) => {
    asked.push(range);
    const next = left[range.interaction]?.shift();
    if (!next || next instanceof Error) throw next ?? new Error("no answer is left");
    return next;
  };
  const line = episode({ interactions: answers.map(() => interaction()) });
  return { embedded: embedTokens({ tokens } as unknown as Source, 5, line), asked };
}

const UNAVAILABLE = new ApiError("tokens_unavailable", "no row");

describe("the tokens in an HTML file", () => {
  it("are short: each pair of id and text once, runs, and values of the output only", async () => {
    const difference = { at: 1, parent: [], own: [] };
    const { embedded, asked } = embed([{ ...SLICE, difference }]);
    expect(await embedded).toEqual({
      ids: [7, 8],
      texts: ["a", "b"],
      interactions: [
        {
          tokens: [0, 1, 0],
          output_start: 1,
          logprobs: [-0.1235, -1],
          loss_mask: [0, 1, 1, 2],
          versions: [3, 2],
          temperature: 0.5,
          channels: [],
          images: [],
          difference,
        },
      ],
    });
    expect(asked).toEqual([{ episode: 5, interaction: 0, from: 0, count: 4096 }]);
  });

  it("have four decimals of log probabilities, and other numbers as they are", async () => {
    const column = [null, "-Infinity", -0.123456] as const;
    const channels = [
      channel({ column }),
      channel({ name: "numbers", values: "numbers", column }),
      channel({ name: "experts" }),
    ];
    const [call] = (await embed([{ ...SLICE, channels }]).embedded)?.interactions ?? [];
    expect(call?.channels).toEqual([
      channel({ column: [null, "-Infinity", -0.1235] }),
      channel({ name: "numbers", values: "numbers", column }),
      channel({ name: "experts" }),
    ]);
  });

  it("are joined if a call has more than one answer has", async () => {
    const channels = [channel({ values: "numbers", column: [1, 2, 3] }), channel({ name: "experts" })];
    const first = { ...SLICE, total: 5, channels, images: [image(2, 2)] };
    const rest: TokenSlice = {
      ...SLICE,
      total: 5,
      ids: [8, 9],
      texts: ["b", "c"],
      logprobs: [-2, -3],
      loss_mask: [1, 0],
      versions: [3, 4],
      channels: [channel({ values: "numbers", column: [4, 5] }), channel({ name: "experts" })],
      images: [image(2, 2), image(3, 1), image(4, 1)],
    };
    const { embedded, asked } = embed([first, rest]);
    expect(await embedded).toMatchObject({
      ids: [7, 8, 9],
      texts: ["a", "b", "c"],
      interactions: [
        {
          tokens: [0, 1, 0, 1, 2],
          logprobs: [-0.1235, -1, -2, -3],
          loss_mask: [0, 1, 1, 3, 0, 1],
          versions: [3, 3, 4, 1],
          channels: [channel({ values: "numbers", column: [1, 2, 3, 4, 5] }), channel({ name: "experts" })],
          images: [image(2, 2), image(3, 1), image(4, 1)],
        },
      ],
    });
    expect(asked[1]).toEqual({ episode: 5, interaction: 0, from: 3, count: 4096 });
  });

  it("have no texts without a tokenizer", async () => {
    const { embedded } = embed([
      { ...SLICE, total: 6, texts: null },
      { ...SLICE, total: 6, texts: null },
    ]);
    expect(await embedded).toMatchObject({ ids: [7, 8], texts: null });
  });

  it("are absent for a call without a row, and for an episode without any", async () => {
    expect((await embed([UNAVAILABLE], [SLICE]).embedded)?.interactions).toMatchObject([null, { tokens: [0, 1, 0] }]);
    expect(await embed([UNAVAILABLE], [UNAVAILABLE]).embedded).toBeUndefined();
    // The file is cut off: it has fewer tokens than it says.
    expect(await embed([SLICE, { ...SLICE, ids: [] }].map((each) => ({ ...each, total: 9 }))).embedded).toBeUndefined();
  });

  it("are not written if they cannot be read for another reason", async () => {
    await expect(embed([new ApiError("not_found", "gone")]).embedded).rejects.toThrow("gone");
    await expect(embed([new Error("disk")]).embedded).rejects.toThrow("disk");
  });
});
