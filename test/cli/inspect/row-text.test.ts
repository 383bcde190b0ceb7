import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BatchTokens } from "../../../src/batch-file/batch-tokens.js";
import { loadEntries } from "../../../src/batch-file/load-entries.js";
import { decodeTokens } from "../../../src/batch-file/token-texts.js";
import { describeRowText, type ShownRow, showInvisible } from "../../../src/cli/inspect/row-text.js";
import { ensureTinyModel } from "../../../src/engine/index.js";
import { loadChatModel } from "../../../src/model/load-chat-model.js";
import { TrajectoryStore } from "../../../src/session/trajectory-store.js";
import { joinIds } from "../../model/support/model-folder.js";
import { runRolltape, temporaryFolder } from "../rolltape.js";

/** [prompt, output] of calls: continuations, a branch in the middle, and a call without output that repeats its parent's start. */
const CALLS = [
  [[1, 2], [3]],
  [
    [1, 2, 3, 4],
    [5, 6],
  ],
  [[1, 9], [6]],
  [[1, 2, 3, 4, 5, 6, 7], [8]],
  [[1, 2], []],
] as const;

async function writeBatch(options: object): Promise<string> {
  const store = new TrajectoryStore();
  for (const name of ["first", "second"]) {
    const session = store.createSession({ sessionId: name });
    const messages = [];
    for (const [prompt, output] of CALLS) {
      messages.push({ role: "user", content: `${prompt.length}` } as const);
      const answer = { role: "assistant", content: `${output.length}` } as const;
      session.record({
        messages: [...messages],
        output: [answer],
        promptIds: Int32Array.from(prompt),
        outputIds: Int32Array.from(output),
        logprobs: Float32Array.from(output, (id) => -id / 2),
        versions: 7,
        finishReason: "stop",
      });
      messages.push(answer);
    }
    session.setReward(1);
    session.end();
  }
  const [batch] = await store.exportShards(["first", "second"], { shards: 1, ...options });
  const file = join(temporaryFolder(), "batch.safetensors");
  writeFileSync(file, batch?.bytes ?? new Uint8Array());
  batch?.release();
  store.close();
  return file;
}

const NO_TOKENS = { ids: [], logprobs: [], versions: [] };

/** Returns the tokens of each row, with the session and interaction as key. */
async function readAll(path: string) {
  await using batch = await BatchTokens.open(path);
  const rows = batch?.rows.all ?? [];
  const read = rows.map(async (_, row) => {
    const { ids, logprobs, versions } = (await batch?.read(row, 0, batch.length(row))) ?? NO_TOKENS;
    return { ids: [...ids], logprobs: [...logprobs], versions: [...versions] };
  });
  const tokens = await Promise.all(read);
  const keys = rows.map(({ session_id: session, interaction_id: id }) => `${session} ${id}`);
  return { keys, tokens };
}

describe("the tokens of a row", () => {
  it.each([
    { layout: "padded", padSide: "right", padToMultipleOf: 16, padTokenId: 5 },
    { layout: "padded", padSide: "left", padToMultipleOf: 16, padTokenId: 5 },
    { layout: "packed" },
    { layout: "tree" },
  ])("are those of its call in $layout $padSide", async (options) => {
    const { keys, tokens } = await readAll(await writeBatch(options));
    expect(new Set(keys).size).toBe(2 * CALLS.length);
    const expected = CALLS.map(([prompt, output]) => JSON.stringify([...prompt, ...output]));
    expect(tokens.map(({ ids }) => JSON.stringify(ids)).toSorted()).toEqual([...expected, ...expected].toSorted());
    const last = tokens.find(({ ids }) => ids.length === 8);
    // In a tree, tokens of earlier outputs have their log probabilities, too.
    expect(last?.logprobs.at(-1)).toBe(-4);
    expect(last?.versions.at(-1)).toBe(7);
  });
});

describe("the text of each token", () => {
  it("joins to the text of all, and a character of several tokens belongs to the last", async () => {
    const { folder } = await ensureTinyModel();
    const model = await loadChatModel(folder);
    const { entries } = await loadEntries(folder);
    try {
      const text = "naïve 中文 🙂 <|im_end|>\n  x";
      const { idPieces } = await model.prompt({ messages: [{ role: "user", content: text }] });
      const ids = Int32Array.from(joinIds(idPieces));
      const texts = decodeTokens(entries, ids, true);
      expect(texts).toHaveLength(ids.length);
      expect(texts.join("")).toBe(model.decode(ids, { skipSpecialTokens: false }));
      expect(texts).toContain("");
      expect(texts.slice(0, -1).join("")).not.toContain("\uFFFD");
    } finally {
      await model.close();
    }
  });
});

const SHOWN: ShownRow = {
  row: 3,
  entry: { session_id: "s\u001b[2J", task_id: null, group_id: null, split: "train", interaction_id: "i", length: 4 },
  reward: 0.5,
  tokens: {
    ids: Int32Array.of(1, 2, 3, 4),
    logprobs: Float32Array.of(0, -0.5, -4, 0),
    lossMask: Int32Array.of(0, 1, 1, 0),
    versions: Int32Array.of(-1, 0, 0, -1),
  },
  texts: ["ask\u202e\n", "good", " b\u001b[31mad⟧", "end"],
  warnings: [],
};

describe("the text of a row", () => {
  it("marks what is in the loss and what is unlikely, without colors", () => {
    const [head, , , ...body] = describeRowText(SHOWN, false).trimEnd().split("\n");
    expect(head).toBe("row 3: session s [2J, interaction i, 4 tokens, 2 of them in the loss, row reward 0.5");
    expect(body.join("\n")).toBe("ask<U+202E>↵\n⟦good b<U+001B>[31mad<U+27E7>‹-4.00›⟧end");
  });

  it("colors tokens in the loss by log probability, and no other escape reaches the terminal", () => {
    const text = describeRowText(SHOWN, true);
    expect(text).toContain("\u001b[2mask<U+202E>↵\u001b[0m\n");
    expect(text).toContain("\u001b[38;5;186mgood\u001b[0m");
    expect(text).toContain("\u001b[38;5;203m b<U+001B>[31mad<U+27E7>\u001b[0m");
    const escapes = text.split("\u001b").slice(1);
    expect(escapes.filter((rest) => !/^\[(?:0|2|38;5;\d+)m/.test(rest))).toEqual([]);
  });

  it("shows what a terminal would hide or obey as code points", () => {
    expect(showInvisible("a\u0000\u200b\u2028\u2066\ud800\u{e0041}z")).toBe(
      "a<U+0000><U+200B><U+2028><U+2066><U+D800><U+E0041>z",
    );
  });
});

describe("rolltape inspect --text", () => {
  it("prints one row, also as JSON, and refuses a row that does not exist", async () => {
    const file = await writeBatch({ layout: "packed" });
    const { folder } = await ensureTinyModel();
    const ended = await runRolltape(["inspect", file, "--text", "0", "--model", folder]);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout).toContain("row 0: session first");
    expect(ended.stdout).toMatch(/⟦.+‹-1\.50›⟧\n$/);
    const json = JSON.parse((await runRolltape(["inspect", file, "--text", "0", "--json"])).stdout) as object;
    expect(json).toMatchObject({ session_id: "first", ids: [1, 2, 3], loss_mask: [0, 0, 1], texts: null });
    const report = JSON.parse((await runRolltape(["inspect", file, "--rows", "1", "--json"])).stdout) as object;
    expect(report).toMatchObject({ row_count: 10, loss_tokens: 10, rows: [{ session_id: "first", length: 3 }] });
    const refused = await runRolltape(["inspect", file, "--text", "10"]);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("rows are numbered from 0 to 9") });
  });
});
