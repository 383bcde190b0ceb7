import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { inspectBatch } from "../../../src/cli/inspect/inspect-batch.js";
import { describeBatch } from "../../../src/cli/inspect/report.js";
import type { ChatMessage } from "../../../src/conversation/chat-message.js";
import type { RecordedSampling } from "../../../src/facts/recorded-sampling.js";
import type { BatchOptionsInput } from "../../../src/session/batch/batch-options.js";
import { ROW_COLUMNS } from "../../../src/session/batch/row-columns.js";
import { TrajectoryStore } from "../../../src/session/trajectory-store.js";
import { TensorFile } from "../../../src/support/safetensors/tensor-file.js";
import { temporaryFolder } from "../rolltape.js";

interface Call {
  readonly sampling?: Partial<RecordedSampling>;
  readonly model?: string;
  readonly finishReason?: string;
  readonly reward?: number;
}

const user = (content: string) => ({ role: "user" as const, content });
const answer = { role: "assistant" as const, content: "a" };

/** Returns a session with one conversation. Each of its calls has one token and continues the previous call token-exactly. */
function conversation(store: TrajectoryStore, sessionId: string, calls: readonly Call[]): void {
  const session = store.createSession({ sessionId });
  const messages: ChatMessage[] = [user("q")];
  calls.forEach(({ reward, finishReason = "stop", ...call }, turn) => {
    const id = session.record({
      messages,
      output: answer,
      promptIds: Int32Array.from({ length: 1 + 2 * turn }, (_, i) => i),
      outputIds: Int32Array.of(1 + 2 * turn),
      logprobs: new Float32Array(1),
      versions: 0,
      finishReason,
      ...call,
    });
    if (reward !== undefined) session.setReward(reward, id);
    messages.push(answer, user("next"));
  });
  session.end();
}

/** Returns what `inspect` prints for a batch of these sessions. */
async function report(
  sessions: Readonly<Record<string, readonly Call[]>>,
  options: BatchOptionsInput = {},
  listed = 0,
): Promise<string> {
  using store = new TrajectoryStore();
  for (const [id, calls] of Object.entries(sessions)) conversation(store, id, calls);
  using batch = await store.exportBatch(Object.keys(sessions), options);
  return createReport(batch.bytes, listed);
}

async function createReport(bytes: Uint8Array, listed = 0): Promise<string> {
  const path = join(temporaryFolder(), "batch.safetensors");
  writeFileSync(path, bytes);
  await using file = await TensorFile.open(path);
  return describeBatch(path, await inspectBatch(file), listed);
}

const warm = (temperature: number) => ({ temperature, samplingTemperature: temperature });

describe("the row columns in a report", () => {
  it.each(["padded", "packed", "tree"] as const)("summarize the %s rows, each with its meaning", async (layout) => {
    const text = await report(
      {
        one: [
          { sampling: warm(0.7), model: "policy", finishReason: "length", reward: 1 },
          { sampling: { ...warm(0.7), topP: 0.9 }, model: "policy" },
        ],
        two: [{ sampling: { greedy: true, samplingTemperature: 0, topK: 5 }, model: "judge", reward: 1 }],
      },
      { layout },
    );
    expect(text).toMatch(/^row column +of 3 rows +meaning$/m);
    expect(text).toMatch(/^temperature +0\.7 \(2\), 1 \(1\) +Divisor of the logits/m);
    expect(text).toMatch(/^greedy +1 row +The most probable token/m);
    expect(text).toMatch(/^top_p +0\.9 \(1\), 1 \(2\) +Nucleus sampling; 1: off\.$/m);
    expect(text).toMatch(/^truncated sampling +1 row +/m); // a greedy call is not truncated
    expect(text).toMatch(/^finish_reason +stop \(2\), length \(1\) /m);
    expect(text).toMatch(/^requested_model +policy \(2\), judge \(1\) /m);
    expect(text).toMatch(/^logprob_content +temperature \(3\) /m);
    expect(text).toMatch(/^0 or none in every row: (?=.*\battempt\b)(?=.*\bcause\b)(?=.*\bundelivered\b).*$/m);
    expect(text).not.toMatch(/^row_codes /m);
  });

  it("are all shown, in the table or in the list of empty columns", async () => {
    const text = await report({ one: [{}] });
    const [, zero = ""] = /^0 or none in every row: (.*)$/m.exec(text) ?? [];
    const listed = [...text.matchAll(/^([a-z_]+) /gm)].map(([, name]) => name);
    const names = ROW_COLUMNS.filter(({ perRow }) => perRow).map(({ name }) => name);
    expect([...zero.split(", "), ...listed]).toEqual(expect.arrayContaining(names));
  });

  it("shorten many values", async () => {
    const calls = Array.from({ length: 20 }, (_, i) => ({ sampling: warm(1 + i / 10), model: `model-${i}` }));
    const text = await report({ one: calls });
    expect(text).toMatch(/^temperature +min 1, median 1\.9, max 2\.9 /m);
    expect(text).toMatch(/^requested_model +model-0 \(1\), .*, 14 others \(14\) /m);
  });

  it("show finish reason, temperature and own reward in the list of rows", async () => {
    const sessions = { one: [{ sampling: warm(0.5), finishReason: "length", reward: 2 }, { sampling: warm(0.7) }] };
    const text = await report(sessions, { discount: 0.5 }, 2);
    expect(text).toMatch(/^session +interaction +tokens +row reward +own reward +finish +temperature +task +group$/m);
    expect(text).toMatch(/^one +\S+ +2 +2 +2 +length +0\.5 +one$/m);
    expect(text).toMatch(/^one +\S+ +4 +0 +stop +0\.7 +one$/m);
  });

  it("do not change the report of a file without them", async () => {
    const text = await report({ one: [{ reward: 1 }] }, { rowTensors: false }, 1);
    expect(text).not.toMatch(/row column|0 or none|warning/);
    expect(text).toMatch(/^session +interaction +tokens +row reward +task +group$/m);
  });

  it("are shown without control characters and direction changes", async () => {
    const text = await report(
      { one: [{ model: "evil\u001b[2J\u202Ednammoc\u0007", finishReason: "\u009b31m" }] },
      {},
      1,
    );
    expect(text).toContain("evil [2J dnammoc");
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}](?<!\n)/u);
  });

  it("are ignored if a file has them in another shape", async () => {
    using store = new TrajectoryStore();
    conversation(store, "one", [{}]);
    using batch = await store.exportBatch(["one"]);
    const bytes = Buffer.from(batch.bytes);
    const at = bytes.indexOf('"row_temperature":{"dtype":"F32"') + '"row_temperature":{"dtype":"'.length;
    bytes.write("I16", at); // two bytes in place of four: the file is refused, as any damaged one
    await expect(createReport(bytes)).rejects.toThrow("row_temperature is I16");
    bytes.write("U32", at);
    expect(await createReport(bytes)).not.toMatch(/^temperature /m);
  });
});

describe("the metadata in a report", () => {
  it("is shown as text if it is known JSON", async () => {
    const sessions = { one: [{ reward: 1 }, {}], two: [{}] };
    const text = await report(sessions, { style: "concat" });
    expect(text).toMatch(/^version +\d/m);
    expect(text).toMatch(/^concat_reward +leaf$/m);
    expect(text).toMatch(/^unrewarded_roots +1: two interaction-\S+$/m);
    expect(text).toMatch(/^uncounted_rewards +1: row 0$/m);
    expect(text).toMatch(/^rewards_missing +1: two$/m);
    expect(text).toMatch(/^left_out +none$/m);
  });

  it("has a line for each key of the configuration, and is shown as it is if it is invalid", async () => {
    const metadata = {
      config: JSON.stringify({ engine: "vllm", sampling_override: { temperature: 1 } }),
      left_out: '{"undelivered":2,"retried":1}',
      unrewarded_roots: "[1]",
      row_codes: "7",
    };
    const header = Buffer.from(JSON.stringify({ __metadata__: metadata }));
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(header.byteLength));
    const text = await createReport(Buffer.concat([length, header]));
    expect(text).toMatch(/^config +engine: vllm\n +sampling_override: \{"temperature":1\}$/m);
    expect(text).toMatch(/^left_out +2 undelivered, 1 retried$/m);
    expect(text).toMatch(/^unrewarded_roots +\[1\]$/m);
    expect(text).toMatch(/^row_codes +7$/m);
  });
});

describe("the warnings in a report", () => {
  it("name problems for training, with counts and what to do", async () => {
    const raw = { logprobs: "raw" } as const;
    const text = await report(
      {
        one: [{ reward: 1 }, { sampling: raw }],
        two: [{ sampling: { logprobs: "unknown" } }],
        three: [{ sampling: raw }],
      },
      { style: "concat" },
    );
    const warnings = text.split("\n").filter((line) => line.startsWith("warning: "));
    expect(warnings).toEqual([
      expect.stringMatching(/^warning: 1 of 3 rows .*concat_reward/),
      expect.stringMatching(/^warning: 2 conversations have no reward.*session two.*reward_scope/),
      expect.stringMatching(/^warning: 2 of 3 rows .*processed_logprobs/),
      expect.stringMatching(/^warning: 1 of 3 rows .*GET \/rl\/engine/),
    ]);
  });

  it("name sessions whose rewards the filters removed", async () => {
    const sessions = {
      one: [{ model: "main" }, { model: "small" }, { model: "small", reward: 1 }],
      two: [{ reward: 1 }],
    };
    const text = await report(sessions, { excludeModels: ["small"], discount: 0 });
    expect(text).toMatch(
      /^warning: 1 session .*filters removed the rewarded calls \(first session: one\).*export_filters/m,
    );
    expect(text).toMatch(/^rewards_filtered +1: one$/m);
    expect(text).toMatch(/^filtered +2$/m);
  });

  it("name calls that were left out", async () => {
    const metadata = { left_out: '{"undelivered":2,"retried":1}', rows: "[]" };
    const header = Buffer.from(JSON.stringify({ __metadata__: metadata }));
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(header.byteLength));
    const text = await createReport(Buffer.concat([length, header]));
    expect(text).toMatch(/^warning: 2 model calls are not trained on.*include_undelivered/m);
    expect(text).toMatch(/^warning: 1 model call is not trained on.*maxRetries/m);
  });

  it("are absent if nothing is wrong", async () => {
    const session = [{}, { reward: 1 }];
    expect(await report({ one: session }, { style: "concat" })).not.toContain("warning");
    expect(await report({ one: [{ reward: 1 }, {}] }, { style: "concat", concatReward: "return" })).not.toContain(
      "warning",
    );
    expect(await report({ one: [{ reward: 1 }, {}] })).not.toContain("warning");
  });
});
