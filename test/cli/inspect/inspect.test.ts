import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inspectBatch } from "../../../src/cli/inspect/inspect-batch.js";
import { countBins, summarizeNumbers } from "../../../src/cli/inspect/numbers.js";
import { describeBatch } from "../../../src/cli/inspect/report.js";
import type { RecordedSampling } from "../../../src/facts/recorded-sampling.js";
import { type ChannelInput, TrajectoryStore } from "../../../src/session/trajectory-store.js";
import { TensorFile } from "../../../src/support/safetensors/tensor-file.js";
import { assistant, turn, user } from "../../helpers/turn.js";
import { runRolltape, temporaryFolder } from "../rolltape.js";

/** Returns a batch of two sessions. The numbers of the calls identify them. */
async function batchFile(layout: "padded" | "packed" | "tree"): Promise<string> {
  const store = new TrajectoryStore();
  for (const [name, lengths, version] of [
    ["short", [1, 2], 3],
    ["long", [4], 5],
  ] as const) {
    const session = store.createSession({
      sessionId: name,
      ...(name === "short" && { taskId: "sum", groupId: "sum-1" }),
    });
    for (const length of lengths) {
      session.record({
        messages: [{ role: "user", content: `${length} more` }],
        output: [{ role: "assistant", content: "x" }],
        promptIds: Int32Array.of(1, 2, 3),
        outputIds: Int32Array.from({ length }, (_, i) => i),
        logprobs: new Float32Array(length),
        versions: version,
        finishReason: "stop",
      });
    }
    session.setReward(lengths.length / 2);
    session.end();
  }
  const batch = await store.exportBatch(["short", "long"], { layout });
  const file = join(temporaryFolder(), "batch.safetensors");
  writeFileSync(file, batch.bytes);
  batch.release();
  store.close();
  return file;
}

/** Runs `inspect` on a file in this process, and returns what it prints. */
async function report(path: string, rows = 0): Promise<string> {
  await using file = await TensorFile.open(path);
  return describeBatch(path, await inspectBatch(file), rows);
}

describe("rolltape inspect", () => {
  it("prints its report, or ends with status 1", async () => {
    const file = await batchFile("padded");
    expect(await runRolltape(["inspect", file, "--rows", "1"])).toMatchObject({
      code: 0,
      stdout: await report(file, 1),
    });
    const ended = await runRolltape(["inspect", writeRaw(Buffer.from("abc"))]);
    expect(ended).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("not a safetensors file") as string,
    });
  });

  it.each(["padded", "packed", "tree"] as const)("describes a %s batch", async (layout) => {
    const text = await report(await batchFile(layout), 2);
    const said = (line: RegExp) => expect(text).toMatch(line);
    said(layout === "padded" ? /^input_ids +I32 +\[3, 7\]$/m : /^input_ids +I32 +\[\d+\]$/m);
    said(new RegExp(`^layout +${layout}$`, "m"));
    said(/^sessions +2$/m);
    said(/^tasks +2$/m);
    said(/^groups +1$/m);
    said(/^rows +3$/m);
    said(/^tokens +16, 7 of them in the loss$/m);
    said(/^versions +3 \(3 tokens\), 5 \(4 tokens\)$/m);
    said(/^rewards +min 0\.5, median 0\.5, mean 0\.75, max 1, by episode$/m);
    said(/^row rewards +min 0, median 0\.5, mean 0\.5, max 1, discounted$/m);
    said(/^lengths +min 4, median 5, mean 5\.33333, max 7$/m);
    said(/^6 +0$/m);
    said(/^short +\S+ +4 +0 +stop +1 +sum +sum-1$/m);
    expect(text).not.toMatch(/^long /m);
    // The numbers that matter most come before the long lists of tensors and columns.
    expect(text.indexOf("\nsessions ")).toBeLessThan(text.indexOf("\ntensor "));
    said(/^rewards_missing +none$/m);
    said(/^incomplete_calls +none$/m);
    said(/^aborted_calls +none$/m);
  });

  it("says how many rows do not begin with their parent's tokens, by cause", async () => {
    using store = new TrajectoryStore();
    const session = store.createSession({ sessionId: "s" });
    const [one, two] = [user("one"), user("two")];
    session.record(turn([one], [1, 2], [3]));
    session.record(turn([one, assistant("ok"), two], [1, 2, 3, 4], [5]));
    session.record(turn([one, assistant("ok"), user("three")], [1, 9, 3, 4], [5]));
    session.record(turn([one, assistant("no"), two], [1, 9], [5]));
    session.setReward(1);
    session.end();
    using batch = await store.exportBatch(["s"]);
    const file = join(temporaryFolder(), "batch.safetensors");
    writeFileSync(file, batch.bytes);
    const text = await report(file);
    expect(text).toMatch(/^not token-exact +2 rows, 50\.0 %: rerendered \(1\), history_rewritten \(1\)$/m);
    expect(text).toMatch(/^warning: 1 of 4 rows begin with a prompt .*rollout\.agent\.chat_template_type=concat/m);
    expect(await report(await batchFile("padded"))).not.toContain("not token-exact");
  });

  it("warns of truncated sampling without its masks", async () => {
    using store = new TrajectoryStore();
    const channel = { name: "kept_ids", dtype: "I32", shape: [], offsets: "kept_offsets", of: "output" } as const;
    const values = new Uint8Array(Int32Array.of(3, 4).buffer);
    const mask = { channel, first: 0, values, counts: Uint32Array.of(2) };
    const record = (
      sessionId: string,
      channels: readonly ChannelInput[],
      sampling: Partial<RecordedSampling> = { topP: 0.5 },
    ) => {
      const session = store.createSession({ sessionId });
      session.record({
        ...turn([user("one")], [1, 2], [3]),
        sampling: { ...sampling, logprobs: "truncated" },
        channels,
      });
      session.setReward(1);
      session.end();
    };
    record("bare", []);
    record("masked", [mask]);
    record("plain", [], { topP: 1, topK: 0, minP: 0 });
    record("whole", [], { topP: 1, topK: 0, minP: 0 });
    record("greedy", [], { topP: 0.5, greedy: true });
    record("top-k", [], { topK: 5 });
    record("min-p", [], { minP: 0.1 });
    const inspect = async (sessions: string[]) => {
      using batch = await store.exportBatch(sessions);
      const file = join(temporaryFolder(), "batch.safetensors");
      writeFileSync(file, batch.bytes);
      return report(file);
    };
    const warning = /^warning: 3 of 5 rows have log probabilities over the tokens .*engine\.sampling_masks=true/m;
    expect(await inspect(["bare", "whole", "greedy", "top-k", "min-p"])).toMatch(warning);
    expect(await inspect(["masked"])).not.toMatch(/sampling_masks/);
    expect(await inspect(["plain"])).not.toMatch(/sampling_masks/);
  });

  it("describes only the tensors of a file from another producer, without its control characters", async () => {
    const header = {
      __metadata__: { "evil\u001b[2J": "\u0007" },
      w: { dtype: "F8", shape: [2], data_offsets: [0, 2] },
    };
    const text = await report(write(JSON.stringify(header), 2));
    expect(text).toMatch(/^w +F8 +\[2\]$/m);
    expect(text).not.toMatch(/\p{Cc}(?<!\n)/u);
    expect(text).not.toContain("rows");
  });

  it.each([
    ["that is too short", () => writeRaw(Buffer.from("abc")), "fewer than 8 bytes"],
    ["whose header is cut", () => writeRaw(Buffer.from([200, 0, 0, 0, 0, 0, 0, 0, 123])), "ends within its header"],
    ["whose header is not JSON", () => write("{", 0), "its header is invalid"],
    ["with a tensor outside", () => write('{"w":{"dtype":"I32","shape":[1],"data_offsets":[0,4]}}', 3), "lies outside"],
    [
      "with a tensor of another size",
      () => write('{"w":{"dtype":"I32","shape":[2],"data_offsets":[0,4]}}', 4),
      "in 4 bytes",
    ],
    ["that does not exist", () => join(temporaryFolder(), "none"), "ENOENT"],
  ])("refuses a file %s", async (_, file, message) => {
    await expect(report(file())).rejects.toThrow(message);
  });

  it("reads a file that is larger than one piece", async () => {
    const count = (1 << 21) + 17;
    const bytes = count * 4;
    const header = JSON.stringify({
      __metadata__: { rows: JSON.stringify([{ session_id: "s", interaction_id: "i", length: count }]) },
      loss_mask: { dtype: "I32", shape: [count], data_offsets: [0, bytes] },
    });
    const file = write(header, bytes, 1);
    expect(readFileSync(file).byteLength).toBeGreaterThan(bytes);
    const text = await report(file);
    expect(text).toContain(`${count} of them in the loss`);
    expect(text).toMatch(/^groups +none$/m); // Files of earlier versions do not have these fields.
  });
});

describe("the warnings of rolltape inspect about rewards", () => {
  /** Returns the warnings for a batch of three sessions: `a` has a reward, `b` and `c` have none. */
  async function warnings(rowTensors: boolean): Promise<string[]> {
    using store = new TrajectoryStore();
    for (const sessionId of ["a", "b", "c"]) {
      const session = store.createSession({ sessionId });
      session.record(turn([user("x")], [1, 2], [3]));
      if (sessionId === "a") session.setReward(1);
      session.end();
    }
    using batch = await store.exportBatch(["a", "b", "c"], { rowTensors });
    const text = await report(writeRaw(batch.bytes));
    return text.split("\n").filter((line) => line.startsWith("warning: "));
  }

  it("name sessions without a reward if the batch has no row tensors", async () => {
    expect(await warnings(false)).toEqual([
      "warning: 2 sessions have no reward and train with reward 0 (first: session b). " +
        "Set rollout.agent.reward_scope=session (scope of set_reward), or reward a call of each.",
    ]);
  });

  it("name conversations without a reward if the batch has row tensors, and count each once", async () => {
    expect(await warnings(true)).toEqual([expect.stringMatching(/^warning: 2 conversations have no reward/)]);
  });
});

describe("the warnings of rolltape inspect about equal rewards", () => {
  /** Returns the warnings for a batch of groups with these rewards. */
  async function warnings(groups: Readonly<Record<string, readonly number[]>>): Promise<string[]> {
    using store = new TrajectoryStore();
    const ids: string[] = [];
    for (const [groupId, rewards] of Object.entries(groups)) {
      for (const [member, reward] of rewards.entries()) {
        const session = store.createSession({ sessionId: `${groupId}-${member}`, groupId });
        session.record(turn([user("x")], [1, 2], [3]));
        session.record(turn([user("x"), assistant("ok"), user("y")], [1, 2, 3, 4], [5]));
        session.setReward(reward);
        session.end();
        ids.push(session.id);
      }
    }
    using batch = await store.exportBatch(ids, { discount: 0.5 });
    const text = await report(writeRaw(batch.bytes));
    return text.split("\n").filter((line) => line.startsWith("warning: "));
  }

  it("count groups whose episodes all have the same reward, whatever the discount", async () => {
    expect(await warnings({ one: [0, 1], two: [1, 1, 1], three: [0, 0], alone: [1] })).toEqual([
      "warning: 2 of 3 groups have the same reward in every episode (first: two). Advantages within such a group are 0, so it " +
        "trains nothing: choose tasks that are solved sometimes.",
    ]);
  });

  it("say that all episodes have the same reward, unless they are few", async () => {
    expect(await warnings({ a: [1], b: [1], c: [1], d: [1] })).toEqual([]);
    const one = await warnings({ a: [1, 1, 1, 1], b: [1, 1, 1, 1] });
    expect(one).toEqual([expect.stringMatching(/^warning: all 8 episodes have the reward 1, /)]);
  });
});

describe("calls that were not recorded", () => {
  const header = (counts: object) =>
    JSON.stringify({ __metadata__: { producer: "rolltape", aborted_calls: JSON.stringify(counts) } });

  it("are summed over the sessions, with a warning", async () => {
    const text = await report(write(header({ "math-1": 2, "math-7": 3 }), 0));
    expect(text).toMatch(/^aborted_calls +5: math-1 2, math-7 3$/m);
    expect(text).toContain(
      "warning: 5 model calls were not recorded: the client disconnected before the answer was complete. " +
        "Look for agents that abort calls or time out.\n",
    );
  });

  it("cause no warning if every call was recorded", async () => {
    const text = await report(write(header({}), 0));
    expect(text).toMatch(/^aborted_calls +none$/m);
    expect(text).not.toContain("warning");
  });
});

function writeRaw(bytes: Uint8Array): string {
  const file = join(temporaryFolder(), "file.safetensors");
  writeFileSync(file, bytes);
  return file;
}

/** Writes a file with this header, followed by this many bytes of equal int32 values. */
function write(header: string, byteLength: number, value = 0): string {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(Buffer.byteLength(header)));
  const data = Buffer.from(new Int32Array(Math.ceil(byteLength / 4)).fill(value).buffer).subarray(0, byteLength);
  return writeRaw(Buffer.concat([length, Buffer.from(header), data]));
}

describe("the numbers of a report", () => {
  const values = fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 1, maxLength: 80 });

  it("summarize the sorted list", () => {
    fc.assert(
      fc.property(values, (given) => {
        const sorted = given.toSorted((a, b) => a - b);
        const mean = given.reduce((total, each) => total + each, 0) / given.length;
        const median = sorted[Math.ceil(given.length / 2) - 1];
        expect(summarizeNumbers(given)).toEqual({
          count: given.length,
          min: sorted[0],
          median,
          mean,
          max: sorted.at(-1),
        });
      }),
    );
  });

  it("count every value in its bin", () => {
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 12 }), (given, limit) => {
        const bins = countBins(given, limit);
        expect(bins.length).toBeLessThanOrEqual(limit);
        for (const { from, to, count } of bins) {
          expect(count).toBe(given.filter((value) => value >= from && value <= to).length);
        }
        expect(bins.reduce((total, { count }) => total + count, 0)).toBe(given.length);
        expect(bins.slice(1).map(({ from }) => from)).toEqual(bins.slice(0, -1).map(({ to }) => to + 1));
      }),
    );
  });
});
