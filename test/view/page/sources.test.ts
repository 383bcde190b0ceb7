import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type EmbeddedTokens, episodeBlock, OVERVIEW_BLOCK, tokensBlock } from "../../../src/view/embedded-format.js";
import { AdminKeyPrompt } from "../../../src/view/page/source/admin-key-prompt.js";
import { createEmbeddedSource } from "../../../src/view/page/source/embedded-source.js";
import { SEARCH_MS } from "../../../src/view/search.js";
import { fixtureEpisode, fixtureOverview, type RunShape } from "../fixtures.js";

const SHAPE: RunShape = { seed: 6, episodes: 3, turns: 4 };
const block = (value: unknown): string => JSON.stringify(gzipSync(JSON.stringify(value)).toString("base64"));

const TOKENS: EmbeddedTokens = {
  ids: [7, 8, 9],
  texts: ["a", "</script>", "ü"],
  interactions: [
    null,
    {
      tokens: [0, 1, 2, 2],
      output_start: 1,
      logprobs: [-1, -2, -3],
      loss_mask: [0, 2, 1, 2],
      versions: [3, 1, 4, 2],
      temperature: 0.7,
      channels: [],
      images: [],
    },
  ],
};

/** @param onRead is called before a block is read */
function openEmbedded(missing: readonly string[] = [], onRead: (id: string) => void = () => undefined) {
  const blocks = new Map([
    [OVERVIEW_BLOCK, block([fixtureOverview(SHAPE)])],
    ...[0, 1, 2].map((index) => [episodeBlock(index), block(fixtureEpisode(SHAPE, index))] as const),
    [tokensBlock(1), block(TOKENS)],
  ]);
  for (const id of missing) blocks.delete(id);
  const source = createEmbeddedSource((id) => {
    onRead(id);
    return blocks.get(id);
  });
  if (!source) throw new Error("The file has no overview.");
  return source;
}

describe("a run inside an HTML file", () => {
  it("returns the same objects as a server", async () => {
    const source = openEmbedded();
    expect(await source.overview()).toEqual(fixtureOverview(SHAPE));
    expect(await source.episode(2)).toEqual(fixtureEpisode(SHAPE, 2));
    expect(source.changes).toBeUndefined();
  });

  it("takes tokens that its runs leave out for prompt tokens of no version", async () => {
    const [, call] = TOKENS.interactions;
    const short = { ...TOKENS, interactions: [{ ...call, loss_mask: [1], versions: [3, 1] }] };
    const source = createEmbeddedSource((id) => block(id === tokensBlock(0) ? short : [fixtureOverview(SHAPE)]));
    const range = { episode: 0, interaction: 0, from: 0, count: 9 };
    expect(await source?.tokens(range)).toMatchObject({ loss_mask: [0, 0, 0, 0], versions: [-1, 3, -1, -1] });
    const long = { ...TOKENS, interactions: [{ ...call, loss_mask: [1, 1e12], versions: [3, 1e12] }] };
    const other = createEmbeddedSource((id) => block(id === tokensBlock(0) ? long : [fixtureOverview(SHAPE)]));
    expect(await other?.tokens(range)).toMatchObject({ loss_mask: [1, 1, 1, 1], versions: [-1, 3, 3, 3] });
  });

  it("returns a long list page by page", async () => {
    const pages = [3, 5].map((revision) => ({ ...fixtureOverview(SHAPE), revision }));
    const source = createEmbeddedSource((id) => (id === OVERVIEW_BLOCK ? block(pages) : undefined));
    expect((await source?.overview())?.revision).toBe(3);
    expect((await source?.overview(3))?.revision).toBe(5);
    await expect(source?.overview(5)).rejects.toThrow("no further episodes");
  });

  it("returns the tokens of an interaction by range", async () => {
    expect(await openEmbedded().tokens({ episode: 1, interaction: 1, from: 1, count: 2 })).toEqual({
      total: 4,
      output_start: 1,
      ids: [8, 9],
      texts: ["</script>", "ü"],
      logprobs: [-1, -2],
      loss_mask: [0, 1],
      versions: [3, 4],
      temperature: 0.7,
      channels: [],
      images: [],
    });
  });

  it("searches messages, and says if some were left out", async () => {
    const { signal } = new AbortController();
    expect(await openEmbedded().search("ISSUE 1002", signal)).toEqual({ episodes: [2], complete: true });
    expect(await openEmbedded([episodeBlock(0)]).search("nested", signal)).toEqual({
      episodes: [1, 2],
      complete: false,
    });
  });

  it("is searched until the search is aborted, or takes too long", async () => {
    await expect(openEmbedded().search("nested", AbortSignal.abort(new Error("no longer")))).rejects.toThrow(
      "no longer",
    );
    let now = 0;
    const time = vi.spyOn(performance, "now").mockImplementation(() => now);
    onTestFinished(() => time.mockRestore());
    // The second episode is searched at the very end of the time.
    const source = openEmbedded([], (id) => {
      if (id !== OVERVIEW_BLOCK) now += SEARCH_MS;
    });
    const { signal } = new AbortController();
    expect(await source.search("nested", signal)).toEqual({ episodes: [0, 1], complete: false });
  });

  it("has no values for tokens of the prompt, and none that the file lacks", async () => {
    const range = { episode: 1, interaction: 1, from: 0, count: 1 };
    expect(await openEmbedded().tokens(range)).toMatchObject({
      ids: [7],
      logprobs: [0],
      versions: [-1],
      loss_mask: [0],
    });
    const [, interaction] = TOKENS.interactions;
    const lacking = { ids: [], texts: [], interactions: [null, { ...interaction, versions: [3, 9] }] };
    const blocks: Record<string, string> = { [OVERVIEW_BLOCK]: block([]), [tokensBlock(1)]: block(lacking) };
    const source = createEmbeddedSource((id) => blocks[id]);
    expect(await source?.tokens({ ...range, from: 3, count: 9 })).toMatchObject({
      ids: [-1],
      texts: [""],
      versions: [3],
      loss_mask: [1],
    });
    await expect(source?.overview()).rejects.toThrow("no further episodes");
  });

  it("reads the list once, and the tokens of an episode once until those of another are read", async () => {
    const read: string[] = [];
    const blocks: Record<string, string> = {
      [OVERVIEW_BLOCK]: block([fixtureOverview(SHAPE)]),
      [tokensBlock(1)]: block(TOKENS),
      [tokensBlock(2)]: block(TOKENS),
    };
    const source = createEmbeddedSource((id) => (read.push(id), blocks[id]));
    read.length = 0;
    await source?.overview();
    await source?.overview();
    for (const episode of [1, 1, 2, 1]) await source?.tokens({ episode, interaction: 1, from: 0, count: 1 });
    expect(read).toEqual([OVERVIEW_BLOCK, tokensBlock(1), tokensBlock(2), tokensBlock(1)]);
  });

  it("says what was left out", async () => {
    const source = openEmbedded([episodeBlock(0)]);
    await expect(source.episode(0)).rejects.toThrow("left out of the HTML file");
    await expect(source.tokens({ episode: 0, interaction: 0, from: 0, count: 9 })).rejects.toThrow("left out");
    await expect(source.tokens({ episode: 1, interaction: 0, from: 0, count: 9 })).rejects.toThrow(
      "not in the HTML file",
    );
  });

  it("is not found in a file without an overview", () => {
    expect(createEmbeddedSource(() => undefined)).toBeUndefined();
  });
});

describe("the admin key", () => {
  function createStorage() {
    const stored = new Map<string, string>();
    return {
      getItem: (name: string): string | null => stored.get(name) ?? null,
      setItem: (name: string, value: string): void => void stored.set(name, value),
    };
  }

  it("is asked for once if requests are refused at the same time", async () => {
    const asked: string[] = [];
    const key = new AdminKeyPrompt(async (message) => {
      asked.push(message);
      return "secret";
    }, createStorage());
    await Promise.all([key.replace(null, "first"), key.replace(null, "second")]);
    expect([asked, key.value]).toEqual([["first"], "secret"]);
  });

  it("is asked for again if it was refused", async () => {
    const keys = ["wrong", "right"];
    const key = new AdminKeyPrompt(async () => keys.shift() ?? "", createStorage());
    await key.replace(null, "missing");
    await key.replace("wrong", "wrong key");
    expect(key.value).toBe("right");
  });
});
