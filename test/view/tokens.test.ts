import { describe, expect, it } from "vitest";
import { BatchSource } from "../../src/view/sources/batch-source.js";
import { TranscriptSource } from "../../src/view/sources/transcript-source.js";
import { ownTokens, recordRun, temperatureOf } from "./recorded-run.js";

const ROOT = { episode: 1, interaction: 0, from: 0, count: 100 };

describe.each([
  ["padded", { layout: "padded" }],
  ["padded on the left", { layout: "padded", padSide: "left", padToMultipleOf: 32 }],
  ["packed", { layout: "packed" }],
  ["tree", { layout: "tree" }],
  ["tree in shards", { layout: "tree", shards: 2 }],
  ["padded in shards", { layout: "padded", shards: 2 }],
  ["concat padded", { layout: "padded", style: "concat", onMismatch: "split" }],
  ["concat packed", { layout: "packed", style: "concat", onMismatch: "split" }],
] as const)("tokens of a %s batch", (_, options) => {
  it("are those that each call adds to its parent, as they were sampled", async () => {
    const run = await recordRun(options);
    await using source = await TranscriptSource.open(run.transcript);
    for (const [episode, calls] of [...run.calls.values()].entries()) {
      for (const [interaction, call] of calls.entries()) {
        const own = ownTokens(calls, interaction);
        const slice = await source.tokens({ episode, interaction, from: 0, count: 4096 });
        expect(slice.ids).toEqual(own);
        expect(slice.total).toBe(own.length);
        expect(slice.output_start).toBe(own.length - call.output.length);
        const prompt = own.slice(0, slice.output_start);
        expect(slice.logprobs.map(Math.fround)).toEqual([...prompt.map(() => 0), ...call.logprobs.map(Math.fround)]);
        expect(slice.versions).toEqual([...prompt.map(() => -1), ...call.output.map(() => call.version)]);
        expect(slice.loss_mask).toEqual([...prompt.map(() => 0), ...call.output.map(() => 1)]);
        expect(slice.temperature).toBe(temperatureOf(interaction));
        expect(slice.texts).toBeNull();
      }
    }
  });

  it("are returned by range", async () => {
    const run = await recordRun(options);
    await using source = await TranscriptSource.open(run.transcript);
    const own = ownTokens(run.calls.get("s-1") ?? [], 3);
    for (const from of [0, 1, own.length - 1, own.length, own.length + 5]) {
      const slice = await source.tokens({ episode: 1, interaction: 3, from, count: 2 });
      expect(slice.ids).toEqual(own.slice(from, from + 2));
      expect(slice.logprobs.length).toBe(slice.ids.length);
      expect(slice.total).toBe(own.length);
    }
  });

  it("show both sides of the first difference of a broken prefix", async () => {
    const run = await recordRun(options);
    await using source = await TranscriptSource.open(run.transcript);
    const { difference } = await source.tokens({ ...ROOT, interaction: 3 });
    expect(difference?.at).toBe(9);
    expect(difference?.parent.map(({ id }) => id).slice(8)).toEqual([210, 211, 212, 213]);
    expect(difference?.own.map(({ id }) => id)).toEqual([
      202, 203, 204, 205, 206, 207, 208, 209, 270, 271, 212, 213, 214, 215, 216,
    ]);
    expect([difference?.parent[0], difference?.own[0]]).toStrictEqual([
      { id: 202, text: null },
      { id: 202, text: null },
    ]);
    expect((await source.tokens({ ...ROOT, interaction: 2 })).difference).toBeUndefined();
  });
});

describe("a batch without a transcript", () => {
  it.each([{ layout: "tree" }, { layout: "padded" }, { layout: "packed" }] as const)(
    "gives one episode per session, with the tokens of its rows ($layout)",
    async (options) => {
      const run = await recordRun(options);
      await using source = await BatchSource.open(`${run.folder}/batch.safetensors`);
      const { episodes } = await source.overview();
      expect(episodes.session_id).toEqual(["s-0", "s-1"]);
      expect(episodes.calls).toEqual([5, 5]);
      expect(episodes.broken).toEqual([1, 1]);
      await expect(source.episode(2)).rejects.toMatchObject({ code: "not_found", message: "There is no episode 2." });
      const { interactions } = await source.episode(1);
      const parents = interactions.map(({ id, parent }) => [id, interactions[parent]?.id]);
      expect(new Map(parents as [string, string | undefined][])).toEqual(
        new Map([
          ["s-1-0", undefined],
          ["s-1-1", "s-1-0"],
          ["s-1-2", "s-1-1"],
          // Branches from the ancestor that has its last shared token, in a tree.
          ["s-1-3", "s-1-2"],
          ["s-1-4", "s-1-0"],
        ]),
      );
      const byId = new Map(interactions.map(({ id }, index) => [id, index]));
      for (const index of [0, 1, 2]) {
        const interaction = byId.get(`s-1-${index}`) ?? -1;
        const slice = await source.tokens({ ...ROOT, interaction });
        expect(slice.ids).toEqual(ownTokens(run.calls.get("s-1") ?? [], index));
        expect(slice.temperature).toBe(temperatureOf(index));
      }
    },
  );
});

describe("unavailable tokens", () => {
  it("are refused if the tensor file is missing, or the interaction has no row", async () => {
    const run = await recordRun();
    await using source = await TranscriptSource.open(run.transcript);
    await expect(source.tokens({ ...ROOT, interaction: 17 })).rejects.toMatchObject({ code: "not_found" });
    await expect(source.tokens({ ...ROOT, episode: 17 })).rejects.toMatchObject({ code: "not_found" });
  });
});
