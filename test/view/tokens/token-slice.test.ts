import { describe, expect, it } from "vitest";
import type { RowImage } from "../../../src/batch-file/batch-images.js";
import type { TokenEntries } from "../../../src/batch-file/token-texts.js";
import type { TranscriptInteraction } from "../../../src/transcript/format.js";
import { type EpisodeTokens, MAX_TOKENS, readTokenSlice } from "../../../src/view/tokens/token-slice.js";
import { episode, interaction } from "../../transcript/lines.js";

/** The two bytes of a character, which are tokens 2 and 3 of {@link ENTRIES}. */
const [FIRST, SECOND] = [0xc3, 0xa9];
const ENTRIES: TokenEntries = {
  entry: (id) => {
    if (id === 2) return { kind: "bytes", bytes: Uint8Array.of(FIRST) };
    return id === 3 ? { kind: "bytes", bytes: Uint8Array.of(SECOND) } : { kind: "text", text: `t${id}` };
  },
};

interface Row {
  readonly ids: readonly number[];
  readonly logprobs?: readonly number[];
  readonly images?: readonly RowImage[];
}

/** Tokens of interactions that each have the row of their index; undefined: none. */
function tokensOf(rows: readonly (Row | undefined)[]): EpisodeTokens {
  return {
    length: async (index) => rows[index]?.ids.length,
    async read(index, from, to) {
      const { ids, logprobs = ids.map((id) => -id) }: Row = rows[index] ?? { ids: [] };
      return {
        ids: Int32Array.from(ids.slice(from, to)),
        logprobs: Float32Array.from(logprobs.slice(from, to)),
        lossMask: Int32Array.from(ids.slice(from, to), (id) => (id > 3 ? 1 : 0)),
        versions: Int32Array.from(ids.slice(from, to)),
      };
    },
    temperature: async () => undefined,
    images: async (index) => rows[index]?.images ?? [],
    channels: () => undefined,
  };
}

const call = (fields: Partial<TranscriptInteraction>) =>
  interaction({ prompt_tokens: 4, completion_tokens: 4, shared_tokens: 0, ...fields });

function read(
  row: Row,
  { from = 0, count = 99, ...fields }: Partial<TranscriptInteraction> & { from?: number; count?: number } = {},
) {
  const line = episode({ interactions: [call(fields)] });
  return readTokenSlice(line, { interaction: 0, from, count }, tokensOf([row]), ENTRIES);
}

const IDS = [0, 1, 2, 3, 4, 5, 6, 7];

describe("a slice of a call's tokens", () => {
  it("begins after the tokens that its parent has, with all values of each token", async () => {
    const slice = await read({ ids: IDS }, { shared_tokens: 3, from: 1, count: 2 });
    expect(slice).toEqual({
      total: 5,
      output_start: 1,
      ids: [4, 5],
      texts: ["t4", "t5"],
      logprobs: [-4, -5],
      loss_mask: [1, 1],
      versions: [4, 5],
      temperature: 1,
      channels: [],
      images: [],
    });
  });

  it("has the text of a character with its last token, also if the slice begins or ends within it", async () => {
    const texts = async (from: number, count: number) => (await read({ ids: IDS }, { from, count })).texts;
    expect(await texts(1, 3)).toEqual(["t1", "", "é"]);
    expect(await texts(3, 2)).toEqual(["é", "t4"]);
    expect(await texts(0, 3)).toEqual(["t0", "t1", ""]);
    expect((await read({ ids: [0, 2] }, { from: 1 })).texts).toEqual(["\uFFFD"]);
  });

  it("is empty after the last token, and has at most 4,096", async () => {
    expect(await read({ ids: IDS }, { from: 9 })).toMatchObject({ total: 8, ids: [], texts: [], logprobs: [] });
    const ids = Array.from({ length: MAX_TOKENS + 5 }, (_, at) => at);
    expect((await read({ ids }, { count: 9999 })).ids).toHaveLength(MAX_TOKENS);
  });

  it("has no more than the row has, whatever the transcript says", async () => {
    expect(await read({ ids: [5, 6] }, { prompt_tokens: 9 })).toMatchObject({ total: 2, output_start: 2 });
    expect(await read({ ids: [5, 6] }, { shared_tokens: 9 })).toMatchObject({ total: 0, output_start: 0, ids: [] });
    expect(await read({ ids: [5, 6] }, { shared_tokens: 2, prompt_tokens: 1 })).toMatchObject({ output_start: 0 });
  });

  it.each([
    [{ temperature: 0.7 }, 0.7],
    [{ temperature: 0 }, 1],
    [{ temperature: "0.7" }, 1],
    [{}, 1],
    [undefined, 1],
  ])("of a file without temperatures has that of the request: %j", async (sampling, temperature) => {
    expect((await read({ ids: IDS }, sampling && { sampling })).temperature).toBe(temperature);
  });

  it("has the images that some of its tokens belong to", async () => {
    const facts = { sha256: "", width: 1, height: 1 };
    const images = [0, 3, 6].map((offset) => ({ offset, length: 3, ...facts }));
    const from = async (first: number, count: number) =>
      (await read({ ids: IDS, images }, { shared_tokens: 1, from: first, count })).images.map((image) => image.from);
    expect(await from(0, 99)).toEqual([-1, 2, 5]);
    expect([await from(2, 3), await from(1, 2), await from(4, 2)]).toEqual([[2], [-1, 2], [2, 5]]);
  });

  it.each([Number.NaN, -Infinity])("is refused if a log probability is %d", async (logprob) => {
    await expect(read({ ids: [1], logprobs: [logprob] })).rejects.toMatchObject({
      code: "tokens_unavailable",
      message: "The tensor file has a log probability that is not finite.",
    });
  });
});

describe("the first difference of a call from its parent", () => {
  const PARENT = { ids: Array.from({ length: 40 }, (_, at) => at) };
  const OWN = { ids: Array.from({ length: 45 }, (_, at) => (at < 20 ? at : 100 + at)) };

  async function differ(
    rows: readonly (Row | undefined)[],
    fields: Partial<TranscriptInteraction>,
    entries?: TokenEntries,
  ) {
    const interactions = [call({}), call({ parent: 0, token_exact: false, shared_tokens: 20, ...fields })];
    const range = { interaction: 1, from: 0, count: 1 };
    return (await readTokenSlice(episode({ interactions }), range, tokensOf(rows), entries)).difference;
  }

  it("is shown with the tokens around it", async () => {
    const difference = await differ([PARENT, OWN], {}, ENTRIES);
    expect(difference?.at).toBe(20);
    expect(difference?.parent).toEqual(PARENT.ids.slice(12, 36).map((id) => ({ id, text: `t${id}` })));
    expect(difference?.own).toEqual(OWN.ids.slice(12, 36).map((id) => ({ id, text: `t${id}` })));
    expect((await differ([PARENT, OWN], {}))?.own[0]).toEqual({ id: 12, text: null });
    expect((await differ([PARENT, OWN], { shared_tokens: 3 }))?.own[0]).toEqual({ id: 0, text: null });
    // The call has fewer tokens than its parent, and the same ones.
    expect((await differ([PARENT, { ids: PARENT.ids.slice(0, 20) }], {}))?.own.at(-1)?.id).toBe(19);
  });

  it.each<[string, readonly (Row | undefined)[], Partial<TranscriptInteraction>]>([
    ["the prompt begins with all tokens of its parent", [PARENT, OWN], { token_exact: true }],
    ["the call has no parent", [PARENT, OWN], { parent: -1 }],
    ["the parent has no row", [undefined, OWN], {}],
    ["the parent's row is cut off", [{ ids: [1, 2] }, OWN], {}],
    ["the call's row is cut off", [PARENT, { ids: [1, 2] }], {}],
  ])("is not shown if %s", async (_, rows, fields) => {
    expect(await differ(rows, fields, ENTRIES)).toBeUndefined();
  });
});
